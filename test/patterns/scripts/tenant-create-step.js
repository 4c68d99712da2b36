/** @engineKey tenant-create-step */
return V8.FormEngine.AddFormData('shop', { Key: V8.Param.Key }, V8.DbTrans);
