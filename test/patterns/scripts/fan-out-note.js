/** @engineKey fan-out-note */
return await V8.FormEngine.AddFormDataAsync('note', { Text: V8.Param.Text }, V8.DbTrans);
