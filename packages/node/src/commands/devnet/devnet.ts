import { resolve } from 'node:path'
import { operatorSecretPath } from '@keelson/conductor'
import { devnetFilePath, devnetPaths, prepareSharedFolder, runNetwork, startDetached, stopNetwork } from '@keelson/devnet'
import { networkStatus } from '@keelson/devnet/status'
import type { EvmEngine } from '@keelson/evm'
import { type Crypto, createPureCrypto } from '@keelson/primitives'
import { createSystemClock } from '@keelson/runtime'
import { type CommandContext, defineCommand } from '../../command.ts'
import { createKzg } from '../../crypto/kzg.ts'
import { createNativeCrypto } from '../../crypto/native-crypto.ts'
import { AssemblyError } from '../../errors.ts'
import { openEngine } from '../../evm/open-engine.ts'
import { stateFolder } from '../../state-folder.ts'
import { DEVNET_KEY_FORMATS } from './key-formats.ts'
import { type DevnetValues, devnetOptions } from './options.ts'
import { ROLE_FACTS } from './role-facts.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export const devnetCommand = defineCommand({
  name: 'devnet',
  summary: 'a whole rollup on this machine: L1, sequencer, validator, batcher, proposer',
  usage:
    '[stop|status|prepare] [options]\n\n  (no action)  start, or go on where the last start ended; Ctrl-C stops\n  stop         end a network that runs in the background or in another terminal\n  status       how each role is; exit code 1 while one is not ready, or nothing runs\n  prepare      write the files of a network whose roles run in containers of their own, and end',
  options: devnetOptions,
  takesArguments: true,
  async run(values, { positional, version }) {
    const folder = resolve(values.dataDir)
    const [action, ...rest] = positional
    if (rest.length > 0) throw new AssemblyError('node/usage', `one action at most, got ${positional.join(' ')}`)
    switch (action) {
      case undefined:
        return values.detach ? detach(folder) : run(values, version)
      case 'stop':
        console.log(await stopNetwork(folder, createSystemClock()))
        return 0
      case 'status':
        return showStatus(folder, values.json)
      case 'prepare':
        return prepare(folder, values)
      default:
        throw new AssemblyError('node/usage', `unknown action "${action}"; there are stop, status and prepare, and none to start`)
    }
  },
})

async function run(values: DevnetValues, version: CommandContext['version']): Promise<number> {
  const clock = createSystemClock()
  // Reports a missing native module only once.
  const crypto = cryptoOf(values)
  await runNetwork(values, {
    version,
    stateFolder: stateFolder(process.env),
    clock,
    startedMs: clock.nowMs(),
    engine: () => engineWith(crypto),
    keyFormats: DEVNET_KEY_FORMATS,
    roleFacts: ROLE_FACTS,
    print: (line) => console.log(line),
    warn: (line) => console.error(line),
    interruption() {
      const ending = new AbortController()
      for (const signal of SIGNALS) process.on(signal, () => ending.abort(new AssemblyError('node/devnet', `interrupted by ${signal}`)))
      return ending.signal
    },
  })
  return 0
}

async function detach(folder: string): Promise<number> {
  console.log(await startDetached(folder, process.argv.slice(3), createSystemClock()))
  return 0
}

async function showStatus(folder: string, json: boolean): Promise<number> {
  const { ready, text, document } = await networkStatus(folder, operatorSecretPath)
  console.log(json ? JSON.stringify(document, null, 2) : text)
  return ready ? 0 : 1
}

async function prepare(folder: string, values: DevnetValues): Promise<number> {
  await prepareSharedFolder(
    devnetPaths(folder),
    values,
    createSystemClock().nowMs(),
    () => engineWith(cryptoOf(values)),
    DEVNET_KEY_FORMATS,
  )
  console.log(`${folder} holds a development network for roles that run in containers, with the URLs in ${devnetFilePath(folder)}`)
  return 0
}

function cryptoOf({ slowCrypto }: DevnetValues): Crypto {
  return slowCrypto ? createPureCrypto() : createNativeCrypto()
}

function engineWith(crypto: Crypto): EvmEngine {
  return openEngine('wasm-interpreter', { crypto, kzg: createKzg() })
}
