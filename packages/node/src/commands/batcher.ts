/** `keelson batcher`: L2 blocks to L1, as a process. */
import { batcherOptions, createBatcher } from '@keelson/batcher'
import { createL1Account, createL2BlockSource, createRollupClient } from '@keelson/client'
import { option, optionParsers as parse } from '@keelson/runtime'
import { assertL1Chain } from '../assert-l1-chain.ts'
import { defineCommand } from '../command.ts'
import { compress } from '../crypto/compression.ts'
import { createKzg } from '../crypto/kzg.ts'
import { l1SenderOptions, openL1Sender } from '../l1-sender.ts'
import { closing, openRole, roleOptions } from '../role.ts'
import { openRollupConfig, rollupOptions } from '../rollup-option.ts'
import { runSubmitter, submitterOptions } from '../run-submitter.ts'

const options = {
  ...rollupOptions,
  ...l1SenderOptions,
  ...batcherOptions,
  l2Rpc: option({ key: 'l2.rpc', parse: parse.httpUrl, description: "RPC of the sequencer's execution client." }),
  rollupRpc: option({ key: 'rollup.rpc', parse: parse.httpUrl, description: "RPC of the sequencer's consensus client." }),
  ...submitterOptions({ admin: 7311, metrics: 7301 }, 'admin_startBatcher, admin_stopBatcher, admin_flushBatcher, admin_batcherActive.'),
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
    return runSubmitter(role, values, batcher, [closing('kzg', kzg.close), ...services])
  },
})
