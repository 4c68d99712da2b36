/** Fields of a connection string that this host uses. */
export interface ConnectionStringFields {
  readonly host?: string;
  readonly port?: string;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  readonly sslMode?: string;
}

/** Spellings of a field, without blanks, in lower case. */
const FIELDS: Readonly<Record<string, keyof ConnectionStringFields>> = {
  datasource: 'host',
  server: 'host',
  host: 'host',
  address: 'host',
  addr: 'host',
  networkaddress: 'host',
  port: 'port',
  userid: 'user',
  username: 'user',
  uid: 'user',
  user: 'user',
  password: 'password',
  pwd: 'password',
  database: 'database',
  initialcatalog: 'database',
  sslmode: 'sslMode',
};

/** A name, then a value: quoted with its quote doubled inside, or plain up to the next semicolon. */
const PAIR = /^\s*([^=;]+?)\s*=\s*(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)'|([^;]*?))\s*(?:;|$)/;

/**
 * Reads the `Name=value;…` form of the original platform. Names have no case; of a repeated one the last counts;
 * names that mean nothing here (pooling, character set) are left out. Undefined when the text has no such form.
 */
export function parseConnectionString(text: string): ConnectionStringFields | undefined {
  const fields: { -readonly [Field in keyof ConnectionStringFields]: string } = {};
  let rest = text.replace(/^[;\s]+/, '');
  while (rest !== '') {
    const pair = PAIR.exec(rest);
    if (pair === null) return undefined;
    const [whole, name = '', double, single, plain = ''] = pair;
    const field = FIELDS[name.replace(/[\s_-]/g, '').toLowerCase()];
    if (field !== undefined) fields[field] = double?.replaceAll('""', '"') ?? single?.replaceAll("''", "'") ?? plain;
    rest = rest.slice(whole.length).replace(/^[;\s]+/, '');
  }
  return Object.keys(fields).length === 0 ? undefined : fields;
}
