/**
 * Writes packages/node/options.md and config/options.schema.json from the definitions of options.
 *
 *   node --import=tsx scripts/gen-options.ts [--check]
 *
 * --check writes nothing and exits with 1 when a file differs.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { COMMANDS } from '../packages/node/src/commands/all-commands.ts'
import { listCommands } from './options/list-commands.ts'
import { renderReference } from './options/reference.ts'
import { configSchema, renderSchema } from './options/schema.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { values: args } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const commands = await listCommands(COMMANDS)
const files = {
  'packages/node/options.md': renderReference(commands),
  'config/options.schema.json': renderSchema(configSchema(commands)),
}
let problems = 0
for (const [file, text] of Object.entries(files)) {
  const path = join(ROOT, file)
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
  if (!args.check) writeFileSync(path, text)
  else {
    problems++
    console.error(`${file} differs from the definitions of options; run node --import=tsx scripts/gen-options.ts`)
  }
}
const options = commands.reduce((sum, command) => sum + Object.keys(command.options).length, 0)
console.log(`${commands.length} commands with ${options} options, ${problems} problems`)
process.exitCode = problems === 0 ? 0 : 1
