import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DAY_MS = 86_400_000;
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** What `openssl ca` needs to know of an authority that keeps no books. */
const CONFIG = `[ca]
default_ca = test
[test]
database = index.txt
new_certs_dir = .
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
[any]
commonName = supplied
`;

export interface CertificateWish {
  /** Such as `DNS:localhost,IP:127.0.0.1`. */
  readonly names?: string;
  /** From now, in days; the end may lie in the past. By default from yesterday for a year. */
  readonly startsInDays?: number;
  readonly endsInDays?: number;
}

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** An authority of a test, made by openssl, and what it signs, in a directory of their own. */
export class TestAuthority {
  readonly certFile: string;
  readonly #dir: string;

  constructor(dir: string, name = 'test authority') {
    this.#dir = dir;
    this.certFile = join(dir, 'authority.pem');
    writeFileSync(join(dir, 'ca.cnf'), CONFIG);
    writeFileSync(join(dir, 'index.txt'), '');
    const self = ['-x509', ...NEW_KEY, '-days', '3650', '-subj', `/CN=${name}`];
    this.#openssl('req', ...self, '-keyout', 'authority.key', '-out', 'authority.pem');
  }

  /** A certificate in PEM. @param name its common name, and that of its files. */
  issue(name: string, wish: CertificateWish = {}): CertificateFiles {
    const { names = 'DNS:localhost,IP:127.0.0.1', startsInDays = -1, endsInDays = 365 } = wish;
    this.#openssl('req', ...NEW_KEY, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    writeFileSync(join(this.#dir, `${name}.ext`), `subjectAltName=${names}\n`);
    this.#openssl(
      ...['ca', '-batch', '-notext', '-config', 'ca.cnf', '-cert', 'authority.pem', '-keyfile', 'authority.key'],
      ...['-startdate', momentIn(startsInDays), '-enddate', momentIn(endsInDays), '-extfile', `${name}.ext`],
      ...['-in', `${name}.csr`, '-out', `${name}.pem`],
    );
    return { certFile: join(this.#dir, `${name}.pem`), keyFile: join(this.#dir, `${name}.key`) };
  }

  /** A certificate with its key and the authority's own in one PFX file. @returns its path. */
  issuePfx(name: string, password: string, wish: CertificateWish = {}): string {
    this.issue(name, wish);
    const parts = ['-inkey', `${name}.key`, '-in', `${name}.pem`, '-certfile', 'authority.pem'];
    this.#openssl('pkcs12', '-export', ...parts, '-out', `${name}.pfx`, '-passout', `pass:${password}`);
    return join(this.#dir, `${name}.pfx`);
  }

  #openssl(...args: readonly string[]): void {
    execFileSync('openssl', args, { cwd: this.#dir, stdio: 'pipe' });
  }
}

/** As openssl writes it: `20261130210000Z`. */
function momentIn(days: number): string {
  const iso = new Date(Date.now() + days * DAY_MS).toISOString();
  return `${iso.slice(0, 19).replaceAll(/[-:T]/g, '')}Z`;
}
