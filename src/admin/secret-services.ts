import type { ChangeOrigin } from '../core/change-origin.ts';
import type { Log } from '../ports/log.ts';
import type { RotationReport, SecretsStatus } from '../ports/secret-box.ts';
import type { TenantDirectory } from '../ports/tenant-store.ts';
import { noteHostChange } from './note-change.ts';

export interface SecretServices {
  /** How the stored secrets of all tenants are kept. */
  secrets(): Promise<SecretsStatus>;
  /** Seals them with the first key, a new one where the host keeps its keys itself. @throws AppError SECRET_KEYS_NONE. */
  rotateSecrets(options: { readonly sealPlain: boolean }, origin?: ChangeOrigin): Promise<RotationReport>;
}

interface SecretServicesParts {
  readonly directory: TenantDirectory;
  readonly log: Log;
}

export function secretServices({ directory, log }: SecretServicesParts): SecretServices {
  return {
    secrets: () => directory.secrets.status(),
    async rotateSecrets(options, origin) {
      const report = await directory.secrets.rotate(options);
      const { resealed, sealedPlain } = report;
      const key = report.keys[0] ?? '';
      log.info('secrets.rotated', { key, resealed, sealedPlain });
      await noteHostChange(directory, origin, {
        action: 'secrets.rotated',
        target: key,
        after: { resealed, sealedPlain, unreadable: report.unreadable.length },
      });
      return report;
    },
  };
}
