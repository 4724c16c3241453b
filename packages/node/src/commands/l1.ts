import { join } from 'node:path'
import { createL1Service, l1PaceOf, prepareNetwork } from '@keelson/devnet'
import { anvilGenesisArguments } from '@keelson/devnet/genesis'
import { hasNetwork } from '@keelson/devnet/network-files'
import { asCalled, createHealthServer, createReadiness, option, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../command.ts'
import { createKzg } from '../crypto/kzg.ts'
import { AssemblyError } from '../errors.ts'
import { openEngine } from '../evm/open-engine.ts'
import { createDiskCheck } from '../role/disk-check.ts'
import { healthAddress, openRole, roleOptions } from '../role/role.ts'
import { rollupOptions } from '../role/rollup-option.ts'

const CALL_TIMEOUT_MS = 5_000

export const l1Command = defineCommand({
  name: 'l1',
  summary: "a development network's L1: anvil, with a block every few seconds",
  usage: '--network NETWORK --data-dir FOLDER [options]',
  explanation: `The network is one that keelson devnet prepare wrote. Every account on this L1 is public and anyone who reaches the port can
change its state: it is for development only.`,
  options: {
    ...rollupOptions,
    dataDir: option({ key: 'dataDir', parse: parse.path, description: 'Folder for the dumps of L1.' }),
    host: option({ key: 'host', parse: parse.text, default: '127.0.0.1', description: 'Address anvil listens on.' }),
    port: option({ key: 'port', parse: parse.port, default: 7545, description: 'JSON-RPC of L1.' }),
    blockTimeSec: option({ key: 'l1.blockTimeSec', parse: parse.integer(1, 60), default: 4, description: 'Seconds between blocks.' }),
    metricsPort: option({ key: 'metrics.port', parse: parse.port, default: 7313, description: 'Prometheus metrics and health.' }),
    ...roleOptions,
  },
  async run(values) {
    const role = openRole('l1', values)
    const { clock, log, metrics, crypto } = role
    if (!hasNetwork(values.network))
      throw new AssemblyError('node/usage', `there is no network in ${values.network}: make one with ${asCalled('devnet prepare')}`)
    const kept = { fork: null, l1Fork: null, symbol: null, allowSameChainId: values.allowSameChainId }
    const genesis = await prepareNetwork(values.network, kept, clock.nowMs(), () =>
      openEngine('wasm-interpreter', { crypto, kzg: createKzg() }),
    )
    const rpc = role.rpc(`http://${values.host === '0.0.0.0' ? '127.0.0.1' : values.host}:${values.port}`, { timeoutMs: CALL_TIMEOUT_MS })
    const l1 = createL1Service(
      {
        host: values.host,
        port: values.port,
        genesisArguments: anvilGenesisArguments(genesis),
        folder: values.dataDir,
        genesisState: join(values.network, 'anvil-genesis-state.json'),
        pace: l1PaceOf(values.blockTimeSec, genesis.parameters.sequencingWindowL1Blocks),
      },
      { rpc: { request: (method, params) => rpc.call(method, params, { retry: false }) }, clock, log },
    )
    const readiness = createReadiness([l1.check, createDiskCheck(values.dataDir, metrics)], { clock, log, metrics })
    const health = healthAddress(values)
    return role.run([createHealthServer(health, { metrics, readiness, clock, log }), l1], () =>
      log.info('L1 is open', { port: values.port, blockTimeSec: values.blockTimeSec }),
    )
  },
})
