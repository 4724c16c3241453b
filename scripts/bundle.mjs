/** Bundles the node's entry points into dist/: one file a process loads fast, native modules left outside. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './setup.mjs'

/** Packages with compiled parts or that locate files beside themselves. */
const EXTERNAL = ['classic-level', 'secp256k1', '@crate-crypto/node-eth-kzg', 'snappy', '@foundry-rs/anvil', 'bufferutil', 'utf-8-validate']

export async function bundle() {
  const outdir = join(ROOT, 'dist')
  rmSync(outdir, { recursive: true, force: true })
  await build({
    absWorkingDir: ROOT,
    entryPoints: { keelson: 'packages/node/src/main.ts', 'kzg-worker': 'packages/node/src/crypto/kzg-worker.ts' },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    external: EXTERNAL,
    logLevel: 'warning',
    // CommonJS dependencies inside an ES module bundle still call require() for Node's own modules.
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
  })
}
