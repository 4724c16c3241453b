import { open } from 'node:fs/promises'
import { counted } from '@keelson/primitives'
import { MAX_INTERCHANGE_BYTES, parseInterchange } from '@keelson/validator'
import { defineCommand } from '../../../command.ts'
import { AssemblyError } from '../../../errors.ts'
import { oneArgument } from '../one-argument.ts'
import { jsonOption, printResult, validatorFolderOptions } from '../validator-folder.ts'
import { chainLine, keyLine } from './show-protection.ts'
import { withProtection } from './with-protection.ts'

const EXIT_CONFLICTS = 1

export const importProtectionCommand = defineCommand({
  name: 'validator protection import',
  summary: 'take over what another store knows; nothing in it is signed again',
  usage: 'FILE --data-dir FOLDER',
  options: { ...validatorFolderOptions, json: jsonOption },
  takesArguments: true,
  async run({ dataDir, json }, { positional }) {
    const file = oneArgument(positional, 'validator protection import FILE --data-dir FOLDER')
    const interchange = parseInterchange(await readBounded(file))
    const { outcome, chain } = await withProtection(dataDir, true, async (protection) => {
      const imported = await protection.importInterchange(interchange)
      return { outcome: imported, chain: protection.chain() }
    })
    const document = { ...outcome, chain: chain === null ? null : { ...chain, chainId: chain.chainId.toString() } }
    printResult(json, document, [
      `took over ${counted(outcome.keys.length, 'key')} from ${file}`,
      ...(chain === null ? [] : [`the keys in ${dataDir} sign for this chain and no other: ${chainLine(chain)}`]),
      ...outcome.keys.map(keyLine),
      ...outcome.conflicts.map(
        ({ key, epoch }) =>
          `WARNING: ${key} has signed two different attestations for epoch ${epoch}; it will be slashed when both are shown`,
      ),
    ])
    return outcome.conflicts.length === 0 ? 0 : EXIT_CONFLICTS
  },
})

async function readBounded(path: string): Promise<string> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new AssemblyError('node/usage', `there is no file at ${path}`)
    throw error
  })
  try {
    const { size } = await file.stat()
    if (size > MAX_INTERCHANGE_BYTES) throw new AssemblyError('node/usage', `${path} has ${size} bytes, at most ${MAX_INTERCHANGE_BYTES}`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}
