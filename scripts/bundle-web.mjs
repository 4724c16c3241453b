/** Builds the pages of packages/web into a folder of static files. */
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'vite'
import { ROOT } from './setup.mjs'

const SOURCES = join(ROOT, 'packages', 'web')
const PRIMITIVES = join(ROOT, 'packages', 'primitives', 'src')

/** The policy of the pages allows no WebAssembly. */
const keccakWithoutWasm = {
  name: 'keccak-without-wasm',
  enforce: 'pre',
  resolveId: (source) => (source.endsWith('/keccak.ts') ? join(PRIMITIVES, 'keccak-browser.ts') : null),
}

/** The folder is replaced as a whole when everything is built. */
export async function bundleWeb(outdir = join(ROOT, 'dist', 'web')) {
  const partial = `${outdir}.partial`
  mkdirSync(dirname(outdir), { recursive: true })
  await build({
    configFile: false,
    root: SOURCES,
    logLevel: 'warn',
    plugins: [keccakWithoutWasm],
    oxc: { jsx: { runtime: 'automatic' } },
    build: { outDir: partial, emptyOutDir: true, target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  })
  rmSync(outdir, { recursive: true, force: true })
  renameSync(partial, outdir)
}
