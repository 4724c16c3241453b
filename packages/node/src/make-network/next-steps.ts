import type { Address } from '@keelson/primitives'

export interface Step {
  readonly name: string
  readonly title: string
  readonly env: Readonly<Record<string, string>>
  readonly args: readonly string[]
}

export interface StepsInput {
  readonly network: string
  readonly outputOracle: Address
  readonly keyOf: (role: 'batcher' | 'proposer' | 'sequencer') => KeySource
  readonly allowSameChainId: boolean
}

export type KeySource = { readonly file: string } | { readonly key: string }

export const L1_RPC = '$L1_RPC'
export const L1_BEACON = '$L1_BEACON'
const ENGINE = 'http://127.0.0.1:8551'
const L2_RPC = 'http://127.0.0.1:8545'
const ROLLUP_RPC = 'http://127.0.0.1:9545'

export function nextSteps({ network, outputOracle, keyOf, allowSameChainId }: StepsInput): readonly Step[] {
  const shared = ['--network', network, ...(allowSameChainId ? ['--allow-same-chain-id'] : [])]
  const l1 = ['--l1.rpc', L1_RPC]
  const jwt = ['--jwt-secret', 'data/jwt.hex']
  const execution = ['execution', '--data-dir', 'data/execution', ...shared, ...jwt, '--rollup.rpc', ROLLUP_RPC]
  const consensus = ['consensus', '--data-dir', 'data/consensus', ...shared, ...jwt, ...l1, '--l1.beacon', L1_BEACON]
  return [
    {
      name: 'execution',
      title: 'The execution client of the sequencer; batcher and proposer on this machine ask it without a limit (not behind a proxy)',
      env: {},
      args: [...execution, '--rpc.trusted', '127.0.0.1,::1'],
    },
    {
      name: 'consensus',
      title: 'Its consensus client, which makes the blocks',
      env: keyVariable('KEELSON_P2P_SIGNER_KEY', keyOf('sequencer')),
      args: [...consensus, '--sequencer.enabled'],
    },
    {
      name: 'batcher',
      title: 'The batcher, which sends blocks to L1; its account pays the fees there',
      env: keyVariable('KEELSON_PRIVATE_KEY', keyOf('batcher')),
      args: [
        ...['batcher', '--data-dir', 'data/batcher', ...shared, ...l1, '--l2.rpc', L2_RPC, '--rollup.rpc', ROLLUP_RPC],
        ...['--throttle.rpc', ENGINE, ...jwt],
      ],
    },
    {
      name: 'proposer',
      title: 'The proposer, which sends output roots to L1 so that withdrawals can be proven; its account pays the fees there',
      env: keyVariable('KEELSON_PRIVATE_KEY', keyOf('proposer')),
      args: ['proposer', '--data-dir', 'data/proposer', ...shared, ...l1, '--rollup.rpc', ROLLUP_RPC, '--oracle', outputOracle],
    },
    { name: 'follower-execution', title: 'Any other node, on its own machine with a copy of the folder', env: {}, args: execution },
    { name: 'follower-consensus', title: 'Its consensus client, which derives the chain from L1', env: {}, args: consensus },
  ]
}

function keyVariable(name: string, source: KeySource): Readonly<Record<string, string>> {
  return 'file' in source ? { [`${name}_FILE`]: source.file } : { [name]: source.key }
}

export function shellLine({ env, args }: Step): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)} `)
  return `${variables.join('')}npx keelson ${args.map(shellWord).join(' ')}`
}

const PLAIN = /^[A-Za-z0-9_./:@=,$-]+$/

function shellWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
