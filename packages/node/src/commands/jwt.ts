import {
  asCalled,
  createJwt,
  createSystemClock,
  fingerprint,
  JWT_WINDOW_SEC,
  loadJwtSecret,
  option,
  optionParsers as parse,
} from '@keelson/runtime'
import { defineCommand } from '../command.ts'
import { AssemblyError } from '../errors.ts'

export const jwtCommand = defineCommand({
  name: 'jwt',
  summary: 'make or check a secret file of the engine API, a conductor or an admin RPC, or print a token',
  usage: '[--token] FILE',
  explanation: `A port with a secret wants a token with every request:
  curl -H "authorization: Bearer $(${asCalled('jwt')} --token FILE)" -H 'content-type: application/json' -d '...' URL
FILE is the secret of that port: --jwt-secret (engine API), --admin.jwt-secret (batcher, proposer), operator.hex or ID.hex in
--jwt-secrets (conductor).`,
  options: {
    token: option({
      key: 'token',
      parse: parse.toggle,
      default: false,
      description: `Print a token signed with the secret, which must exist. Servers accept it for ${JWT_WINDOW_SEC} seconds.`,
    }),
  },
  takesArguments: true,
  async run({ token }, { positional }) {
    const [file] = positional
    if (file === undefined || positional.length > 1)
      throw new AssemblyError('node/usage', `give the path of the secret file: ${asCalled('jwt')} FILE`)
    if (token) {
      const { secret, warning } = await loadJwtSecret(file)
      if (warning !== null) console.error(`keelson: ${warning}`)
      console.log(await createJwt(secret, createSystemClock()))
      return 0
    }
    const { secret, created, warning } = await loadJwtSecret(file, { create: true })
    if (warning !== null) console.error(`keelson: ${warning}`)
    console.log(`${created ? 'made' : 'found'} ${file}, fingerprint ${fingerprint(secret)}`)
    return 0
  },
})
