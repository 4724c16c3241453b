/** `keelson jwt FILE`: makes or checks the secret that execution and consensus client share. */
import { fingerprint, loadJwtSecret } from '@keelson/runtime'
import { defineCommand } from '../command.ts'
import { AssemblyError } from '../errors.ts'

export const jwtCommand = defineCommand({
  name: 'jwt',
  summary: 'make or check the secret file of the engine API',
  usage: 'FILE',
  options: {},
  takesArguments: true,
  async run(_, { positional }) {
    const [file] = positional
    if (file === undefined || positional.length > 1)
      throw new AssemblyError('node/usage', 'give the path of the secret file: keelson jwt FILE')
    const { secret, created } = await loadJwtSecret(file, { create: true })
    console.log(`${created ? 'made' : 'found'} ${file}, fingerprint ${fingerprint(secret)}`)
    return 0
  },
})
