import { join } from 'node:path'
import { build } from 'esbuild'

/** Fails if the page's program needs a module of Node.js. */
export async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'block-page.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error('esbuild wrote no page')
  return file.text
}
