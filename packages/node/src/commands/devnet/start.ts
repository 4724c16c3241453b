import { resolve } from 'node:path'
import { runNetwork, startDetached } from '@keelson/devnet'
import type { EvmEngine } from '@keelson/evm'
import { type Crypto, createPureCrypto } from '@keelson/primitives'
import { asCalled, createSilentLogger, createSystemClock, npmScript } from '@keelson/runtime'
import { type CommandContext, defineCommand } from '../../command.ts'
import { createControlServer } from '../../control/control-server.ts'
import { createKzg } from '../../crypto/kzg.ts'
import { createNativeCrypto } from '../../crypto/native-crypto.ts'
import { AssemblyError } from '../../errors.ts'
import { openEngine } from '../../evm/open-engine.ts'
import { stateFolder } from '../../state-folder.ts'
import { sayIfInterrupted } from '../interrupt-notice.ts'
import { foreignOption } from './foreign-options.ts'
import { DEVNET_KEY_FORMATS } from './key-formats.ts'
import { type DevnetValues, devnetOptions } from './options.ts'
import { ROLE_FACTS } from './role-facts.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export const devnetCommand = defineCommand({
  name: 'devnet',
  summary: 'a whole rollup on this machine: L1, sequencer, validator, batcher, proposer',
  usage: '[options], or an action',
  explanation: 'Starts a network, or continues where the last start ended; Ctrl-C stops it.',
  options: devnetOptions,
  foreignOption,
  checkArguments([first]) {
    if (first !== undefined)
      throw new AssemblyError(
        'node/usage',
        `unexpected argument "${first}"; an action comes before the options: ${asCalled('devnet stop --data-dir FOLDER')}`,
      )
  },
  run: (values, { version }) => (values.detach ? detach(resolve(values.dataDir)) : run(values, version)),
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
    serveControl: (dataDir, run) => createControlServer({ dataDir, run, log: createSilentLogger() }),
    interruption() {
      const ending = new AbortController()
      for (const signal of SIGNALS) process.on(signal, () => ending.abort(new AssemblyError('node/devnet', `interrupted by ${signal}`)))
      return ending.signal
    },
  })
  return 0
}

async function detach(folder: string): Promise<number> {
  sayIfInterrupted(
    `the network continues to start in the background; look with: ${npmScript('status', folder)}, end it with: ${npmScript('stop', folder)}`,
  )
  console.log(await startDetached(folder, process.argv.slice(3), createSystemClock()))
  return 0
}

export function cryptoOf({ slowCrypto }: DevnetValues): Crypto {
  return slowCrypto ? createPureCrypto() : createNativeCrypto()
}

export function engineWith(crypto: Crypto): EvmEngine {
  return openEngine('wasm-interpreter', { crypto, kzg: createKzg() })
}
