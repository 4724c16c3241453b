import { randomBytes } from 'node:crypto'
import { apiKeyDigest, asCalled, option, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../command.ts'
import { AssemblyError } from '../errors.ts'

const KEY_BYTES = 24

export const rpcKeyCommand = defineCommand({
  name: 'rpc-key',
  summary: 'make an API key for the public RPC',
  usage: 'NAME [--tier TIER]',
  options: {
    tier: option({
      key: 'tier',
      parse: parse.text,
      default: 'developer',
      description: 'Tier of the key; others than developer stand in the keys file.',
    }),
  },
  takesArguments: true,
  async run({ tier }, { positional }) {
    const [name] = positional
    if (name === undefined || positional.length > 1) {
      throw new AssemblyError('node/usage', `give the holder's name: ${asCalled('rpc-key')} NAME`)
    }
    const key = randomBytes(KEY_BYTES).toString('base64url')
    console.log(`key for ${name}, shown only now: ${key}`)
    console.log('use it as http://HOST:8545/v1/KEY, or as "Authorization: Bearer KEY"')
    console.log('add to "keys" in the file of --rpc.keys-file:')
    console.log(JSON.stringify({ name, tier, sha256: apiKeyDigest(key) }))
    return 0
  },
})
