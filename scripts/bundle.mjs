import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './setup.mjs'

/** Packages with compiled parts, or that locate files beside themselves; the image carries them beside the bundle. */
export const EXTERNAL = [
  ...['classic-level', 'secp256k1', '@crate-crypto/node-eth-kzg', 'snappy', '@foundry-rs/anvil', 'bufferutil', 'utf-8-validate'],
  ...['@electric-sql/pglite', '@node-rs/argon2', 'solc'],
  '@fastify/swagger-ui',
  'pg-native',
  '@achingbrain/ssdp',
]

const ENTRIES = {
  keelson: 'packages/node/src/main.ts',
  'kzg-worker': 'packages/node/src/crypto/kzg-worker.ts',
  'socket-thread': 'packages/node/src/rpc-thread/socket-thread.ts',
  'rpc-worker': 'packages/node/src/rpc-workers/rpc-worker.ts',
  'sender-worker': 'packages/node/src/senders/sender-worker.ts',
  'opinion-worker': 'packages/node/src/second-opinion/opinion-worker.ts',
  'compile-worker': 'packages/node/src/compile/compile-worker.ts',
}

/** Folder of the pages, made by bundle-web.mjs. */
const WEB = 'web'

/** Running networks still load parts of earlier bundles, so these are kept. */
const KEEP_MS = 24 * 3600 * 1000

/** Returns the names of the files in dist that belong to this build. */
export async function bundle({ sourcesContent = true } = {}) {
  const outdir = join(ROOT, 'dist')
  const { outputFiles } = await build({
    write: false,
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent,
    external: EXTERNAL,
    logLevel: 'warning',
    // Lets bundled CommonJS dependencies call require() for Node's own modules.
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
  })
  writeOut(outdir, outputFiles)
  return outputFiles.map(({ path }) => basename(path))
}

function writeOut(outdir, files) {
  mkdirSync(outdir, { recursive: true })
  const isEntry = ({ path }) => Object.keys(ENTRIES).some((name) => basename(path) === `${name}.js`)
  for (const file of [...files.filter((file) => !isEntry(file)), ...files.filter(isEntry)]) {
    const partial = `${file.path}.partial`
    writeFileSync(partial, file.contents, { mode: isEntry(file) ? 0o755 : 0o644 })
    renameSync(partial, file.path)
  }
  const current = new Set([WEB, ...files.map(({ path }) => basename(path))])
  for (const name of readdirSync(outdir)) {
    if (name.startsWith('.') || current.has(name)) continue
    if (Date.now() - statSync(join(outdir, name)).mtimeMs > KEEP_MS) rmSync(join(outdir, name), { recursive: true })
  }
}
