/** `npm run check`: types, layers, format and generated files. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { assertNodeVersion, ensureInstalled, ROOT } from './setup.mjs'

assertNodeVersion()
ensureInstalled()
const bin = (name) => join(ROOT, 'node_modules', '.bin', name)
const generators = readdirSync(join(ROOT, 'scripts')).filter((file) => /^gen-.*\.ts$/.test(file))
const steps = [
  ['types', bin('tsc'), ['-p', '.']],
  ['types of the pages', bin('tsc'), ['-p', 'packages/web/src/client']],
  ['format and lint', bin('biome'), ['check', '--error-on-warnings', '.']],
  ['layers', process.execPath, ['--import=tsx', 'scripts/check-layers.ts']],
  ...generators.map((file) => [`${file} --check`, process.execPath, ['--import=tsx', join('scripts', file), '--check']]),
]
let failed = 0
for (const [name, command, args] of steps) {
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] })
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`)
  if (status !== 0) failed++
}
console.log(`\n${steps.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
