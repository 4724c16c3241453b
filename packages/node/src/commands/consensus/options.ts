import { type OptionValues, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { l1Options } from '../../l1/l1-connection.ts'
import { roleOptions } from '../../role/role.ts'
import { rollupOptions } from '../../role/rollup-option.ts'
import { tracingOptions } from '../../tracing/tracing-options.ts'
import { p2pOptions } from './p2p-options.ts'
import { rollupRpcOptions } from './rollup-rpc-options.ts'
import { roleOption, sequencerOptions } from './sequencer-options.ts'
import { stakingOptions } from './staking-options.ts'
import { syncOptions } from './sync-options.ts'

export const consensusOptions = {
  ...rollupOptions,
  dataDir: option({ key: 'dataDir', parse: parse.path, description: 'Folder for safe heads and the network key.' }),
  role: roleOption,
  ...l1Options,
  l1Beacon: option({ key: 'l1.beacon', parse: parse.list(parse.httpUrl), description: 'Beacon APIs for blobs, the first asked first.' }),
  l1PollIntervalMs: option({
    key: 'l1.pollIntervalMs',
    parse: parse.integer(50, 60_000),
    default: 1000,
    description: 'Milliseconds between two looks at the L1 head; a WebSocket URL tells of heads by itself.',
  }),
  l1BlobCacheSize: option({
    key: 'l1.blobCacheSize',
    parse: parse.byteSize,
    default: 2 * 1024 ** 3,
    description: 'Most that blobs kept on disk may take; 0 keeps none.',
  }),
  l1BlobCacheAge: option({
    key: 'l1.blobCacheAge',
    parse: parse.duration(60_000, 10 * 365 * 86_400_000),
    default: 30 * 86_400_000,
    description: 'How long blobs are kept on disk.',
  }),
  engineUrl: option({
    key: 'engine.url',
    parse: parse.httpUrl,
    default: 'http://127.0.0.1:8551',
    description: 'Engine API of the execution client.',
  }),
  jwtSecret: option({
    key: 'jwtSecret',
    parse: parse.path,
    description: 'File with the secret shared with the execution client; made when missing.',
  }),
  ...rollupRpcOptions,
  metricsPort: option({ key: 'metrics.port', parse: parse.port, default: 7300, description: 'Prometheus metrics and health.' }),
  ...tracingOptions,
  ...p2pOptions,
  ...sequencerOptions,
  verifierConfirmations: option({
    key: 'verifier.l1Confirmations',
    alias: 'verifier.l1-confs',
    parse: parse.integer(0, 1000),
    default: 0,
    description: 'L1 blocks derivation stays behind the L1 head.',
  }),
  allowFinalizedReorg: option({
    key: 'allowFinalizedReorg',
    parse: parse.toggle,
    default: false,
    description: 'Follow an L1 that reorganised below finalized, as a development L1 that was killed does.',
  }),
  distrustBlock: optionalOption({
    key: 'rollup.distrustBlock',
    parse: parse.hash,
    description: 'Hash of a signed block that its operators call a mistake; the node stops before it otherwise, as too old for it.',
  }),
  ...syncOptions,
  ...stakingOptions,
  ...roleOptions,
} as const

export type ConsensusValues = OptionValues<typeof consensusOptions>
