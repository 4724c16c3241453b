import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runOrThrow } from '../container/run-command.mjs'
import { ROOT } from '../setup.mjs'
import { assemblePackage } from './assemble-package.mjs'

/** Returns the path of the tarball in `folder`. */
export async function pack(folder) {
  const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const content = mkdtempSync(join(tmpdir(), 'keelson-package-'))
  try {
    await assemblePackage(content)
    await runOrThrow('npm', ['pack', content, '--pack-destination', folder, '--loglevel=error'])
    return join(folder, `${name}-${version}.tgz`)
  } finally {
    rmSync(content, { recursive: true })
  }
}
