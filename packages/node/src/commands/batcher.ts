/** `keelson batcher`: L2 blocks to L1, as a process. */
import { batcherOptions, createBatcher } from '@keelson/batcher'
import { createL1Account, createL2BlockSource, createRollupClient } from '@keelson/client'
import { createHealthServer, createReadiness, createRpcServer, option, optionParsers as parse } from '@keelson/runtime'
import { assertL1Chain } from '../assert-l1-chain.ts'
import { defineCommand } from '../command.ts'
import { compress } from '../crypto/compression.ts'
import { createKzg } from '../crypto/kzg.ts'
import { l1SenderOptions, openL1Sender } from '../l1-sender.ts'
import { closing, openRole, roleOptions } from '../role.ts'
import { openRollupConfig, rollupOptions } from '../rollup-option.ts'

const options = {
  ...rollupOptions,
  ...l1SenderOptions,
  ...batcherOptions,
  l2Rpc: option({ key: 'l2.rpc', parse: parse.httpUrl, description: "RPC of the sequencer's execution client." }),
  rollupRpc: option({ key: 'rollup.rpc', parse: parse.httpUrl, description: "RPC of the sequencer's consensus client." }),
  adminHost: option({ key: 'admin.host', parse: parse.text, default: '127.0.0.1', description: 'Address the admin RPC listens on.' }),
  adminPort: option({
    key: 'admin.port',
    parse: parse.port,
    default: 7311,
    description: 'admin_startBatcher, admin_stopBatcher, admin_flushBatcher, admin_batcherActive.',
  }),
  metricsPort: option({ key: 'metrics.port', parse: parse.port, default: 7301, description: 'Prometheus metrics and health.' }),
  ...roleOptions,
} as const

export const batcherCommand = defineCommand({
  name: 'batcher',
  summary: 'L2 blocks to L1, in calldata or blobs',
  usage: '--network FOLDER --l1.rpc URL --l2.rpc URL --rollup.rpc URL --data-dir FOLDER [options]',
  options,
  async run(values) {
    const role = openRole('batcher', values)
    const { clock, random, log, metrics } = role
    const config = openRollupConfig(values, log)
    const l1 = role.rpc(values.l1Rpc)
    await assertL1Chain(l1, config)
    const kzg = createKzg()
    const { manager, services } = await openL1Sender('batcher', values, role, l1, config, kzg)
    const batcher = createBatcher(values, {
      config,
      l2: createL2BlockSource(role.rpc(values.l2Rpc)),
      rollup: createRollupClient(role.rpc(values.rollupRpc)),
      sender: manager,
      prices: createL1Account(l1, manager.address),
      compressor: { compress },
      clock,
      random,
      log,
      metrics,
    })
    const readiness = createReadiness(
      [
        {
          name: 'batching',
          check: () => {
            const trouble = batcher.trouble()
            return trouble === null ? { ok: true } : { ok: false, reason: trouble.reason }
          },
        },
      ],
      { clock, log, metrics },
    )
    return role.run([
      createHealthServer(
        { host: values.metricsHost, port: values.metricsPort, option: '--metrics.port' },
        { metrics, readiness, clock, log },
      ),
      closing('kzg', kzg.close),
      ...services,
      batcher,
      createRpcServer(
        { name: 'admin RPC', host: values.adminHost, port: values.adminPort, option: '--admin.port' },
        { methods: batcher.methods, log, clock, metrics },
      ),
    ])
  },
})
