import { forkLimitOf } from '@keelson/chainspec'
import { createContractCaller, createRollupClient } from '@keelson/client'
import { readL1ChainConfig } from '@keelson/devnet/network-files'
import { createProposer } from '@keelson/proposer'
import { option, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { createKzg } from '../../crypto/kzg.ts'
import { openL1 } from '../../l1/l1-connection.ts'
import { closing, openRole, roleOptions } from '../../role/role.ts'
import { openRollupConfig, rollupOptions } from '../../role/rollup-option.ts'
import { l1SenderOptions, openL1Sender } from './l1-sender.ts'
import { runSubmitter, submitterOptions } from './run-submitter.ts'
import { openSequencerClients } from './sequencer-clients.ts'

const options = {
  ...rollupOptions,
  ...l1SenderOptions,
  rollupRpc: option({
    key: 'rollup.rpc',
    parse: parse.list(parse.httpUrl),
    description: 'RPC of a consensus client; with several, the sequencer that seals is asked, or else one that answers.',
  }),
  oracle: option({ key: 'oracle', parse: parse.address, description: 'L2OutputOracle on L1.' }),
  pollIntervalMs: option({
    key: 'pollIntervalMs',
    parse: parse.integer(100),
    default: 4000,
    description: 'Milliseconds between two looks at what is due.',
  }),
  allowNonFinalized: option({
    key: 'allowNonFinalized',
    parse: parse.toggle,
    default: false,
    description: 'Propose safe blocks without waiting for finality; for networks that do not last.',
  }),
  stopped: option({
    key: 'stopped',
    parse: parse.toggle,
    default: false,
    description: 'Begin only when admin_startProposer is called.',
  }),
  ...submitterOptions(
    { admin: 7312, metrics: 7302 },
    'admin_startProposer, admin_stopProposer, admin_proposerActive, admin_proposerStatus.',
  ),
  ...roleOptions,
} as const

export const proposerCommand = defineCommand({
  name: 'proposer',
  summary: 'output roots to L1, so that withdrawals can be proven',
  usage: '--network NETWORK --l1.rpc URL --rollup.rpc URL --oracle ADDRESS --data-dir FOLDER [options]',
  options,
  async run(values) {
    const role = openRole('proposer', values)
    const { clock, log, metrics } = role
    const config = openRollupConfig(values, log, clock)
    const l1Chain = readL1ChainConfig(values.network)
    const connection = await openL1(values, role, config, l1Chain)
    const { rpc: l1, client } = connection
    const kzg = createKzg()
    const sender = await openL1Sender('proposer', values, role, l1, config, l1Chain, kzg)
    const proposer = createProposer(values, {
      rollup: createRollupClient(openSequencerClients({ rollup: values.rollupRpc, l2: values.rollupRpc }, role).rollup),
      l1: { call: createContractCaller(l1).call, blockRef: (at) => client.blockRef(at) },
      sender: sender.manager,
      limit: forkLimitOf(config),
      clock,
      log,
      metrics,
    })
    return runSubmitter(role, values, proposer, [closing('kzg', kzg.close), ...sender.services], sender.manager, connection)
  },
})
