/**
 * Builds the console's page into src/admin/console/dist, from where the host serves it. `npm ci` runs it (`prepare`).
 * Plain JavaScript, because npm may run it with a Node that strips no types.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const root = fileURLToPath(new URL('../src/admin/console', import.meta.url));
const outDir = join(root, 'dist');

const tools = await Promise.all([import('vite'), import('@vitejs/plugin-vue')]).catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  return undefined;
});
if (tools === undefined) {
  process.stdout.write('build-console: left out, because the development packages are not installed\n');
} else {
  const [vite, vue] = tools;
  await vite.build({
    root,
    configFile: false,
    base: './',
    logLevel: 'warn',
    plugins: [vue.default()],
    // The page loads with the security headers of the host: no inline script, font or worker.
    build: {
      outDir,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 8000,
    },
    worker: { format: 'es' },
  });
  await compressFiles();
}

/** Writes a `.gz` beside what gains from it, so that the host compresses nothing while it serves. */
async function compressFiles() {
  const names = await readdir(outDir, { recursive: true });
  const texts = names.filter((name) => /\.(js|css|html|svg|ttf)$/.test(name));
  await Promise.all(
    texts.map(async (name) => {
      const file = join(outDir, name);
      await writeFile(`${file}.gz`, await promisify(gzip)(await readFile(file)));
    }),
  );
}
