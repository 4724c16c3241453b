import { asCalled, type OptionValues, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { exportChainFile, importChainFile } from '../chain-file/chain-file.ts'
import { type OfflineValues, openOfflineNode } from '../chain-file/offline-node.ts'
import { AssemblyError } from '../errors.ts'
import type { Role } from '../role/role.ts'

export const chainFileOptions = {
  from: option({ key: 'from', parse: parse.integer(0), default: 0, description: 'First block of an export.' }),
  to: optionalOption({ key: 'to', parse: parse.integer(0), description: 'Last block of an export. Default: the head.' }),
} as const

type Values = OfflineValues & OptionValues<typeof chainFileOptions>

/** Throws AssemblyError `node/import`, `node/interrupted`. */
export async function runOnChainFile(values: Values, role: Role, positional: readonly string[], layoutVersion: number): Promise<number> {
  const [what, file] = positional
  if ((what !== 'import' && what !== 'export') || file === undefined || positional.length > 2) {
    throw new AssemblyError(
      'node/usage',
      `${asCalled('execution')} takes import FILE, export FILE, or nothing; got "${positional.join(' ')}"`,
    )
  }
  const { node, close } = await openOfflineNode(values, role, layoutVersion)
  const interrupted = new AbortController()
  const interrupt = () => interrupted.abort()
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    const deps = { node, clock: role.clock, log: role.log, signal: interrupted.signal }
    if (what === 'import') await importChainFile(file, deps)
    else await exportChainFile(file, { from: values.from, to: values.to }, deps)
    return 0
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    await close()
  }
}
