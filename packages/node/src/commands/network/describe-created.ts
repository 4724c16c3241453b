import { formatAmount } from '@keelson/apps/bridge'
import type { Hash } from '@keelson/primitives'
import type { MadeDevnet } from '../../make-network/make-devnet.ts'
import { keyFile } from '../../make-network/make-keys.ts'
import type { NetworkInputs } from '../../make-network/network-inputs.ts'
import { L1_RPC, nextSteps, type Step, shellLine } from '../../make-network/next-steps.ts'
import type { CreateValues } from './gather-inputs.ts'

export interface CreatedNetwork {
  readonly document: Readonly<Record<string, unknown>>
  readonly lines: readonly string[]
  readonly warnings: readonly string[]
}

const TITLE_WIDTH = 16

export function describeNetwork(
  { out, makeKeys, allowSameChainId }: Pick<CreateValues, 'out' | 'makeKeys' | 'allowSameChainId'>,
  { preset, parameters, l1, currencySymbol }: NetworkInputs,
  l2GenesisHash: Hash,
  warnings: readonly string[],
): CreatedNetwork {
  const steps = nextSteps({
    network: out,
    outputOracle: l1.addresses.L2OutputOracle,
    keyOf: (role) => ({ file: keyFile(makeKeys ?? 'keys', role) }),
    allowSameChainId,
  })
  const { minimumStakeWei, dayBlocks } = parameters.staking
  const { number, hash } = l1.start
  return {
    document: {
      network: out,
      preset,
      l1ChainId: Number(parameters.l1ChainId),
      l2ChainId: Number(parameters.l2ChainId),
      l1Start: { number, hash },
      l2GenesisHash,
      minimumStakeWei: String(minimumStakeWei),
      addresses: l1.addresses,
      roles: parameters.roles,
      keys: makeKeys,
      steps,
    },
    lines: [
      `made ${out} with preset ${preset}`,
      fact('L2', `chain id ${parameters.l2ChainId}, genesis ${l2GenesisHash}, a block each ${parameters.l2BlockTimeSec} s`),
      fact('L1', `chain id ${parameters.l1ChainId}, begins at block ${number} ${hash}`),
      fact('stake', `at least ${formatAmount(minimumStakeWei, 18)} ${currencySymbol}; a day is ${dayBlocks} blocks`),
      ...Object.entries(parameters.roles).map(([role, address]) => fact(role, address)),
      ...(makeKeys === null ? [] : [fact('keys', `${makeKeys}: keep them safe and outside the network's folder`)]),
      '',
      'Fund batcher and proposer on L1, give every process the L1 nodes:',
      `  export L1_RPC=https://your-l1-node L1_BEACON=https://your-beacon-node`,
      '  (an L1 without a beacon API, such as anvil: npx keelson beacon --l1.rpc $L1_RPC --port 7546)',
      ...stepLines(steps),
      '',
      'Deposit coins to L2, then register a validator:',
      `  npx keelson bridge deposit --network ${out} --l1.rpc ${L1_RPC} --l2.rpc http://127.0.0.1:8545 --amount 1`,
      '  npx keelson validator keys new --data-dir validator --password-file PASSWORD',
      `  npx keelson validator register --data-dir validator --password-file PASSWORD --l2.rpc http://127.0.0.1:8545 --amount ${formatAmount(minimumStakeWei, 18)}`,
    ],
    warnings,
  }
}

export function describeDevnet(out: string, made: MadeDevnet): CreatedNetwork {
  const { l1ChainId, l2ChainId, l1GenesisHash, l2GenesisHash, minimumStakeWei, steps, l1Lines } = made
  return {
    document: {
      network: out,
      preset: 'devnet',
      l1ChainId: Number(l1ChainId),
      l2ChainId: Number(l2ChainId),
      l1Start: { number: 0, hash: l1GenesisHash },
      l2GenesisHash,
      minimumStakeWei: String(minimumStakeWei),
      steps,
    },
    lines: [
      `made ${out} with preset devnet and an L1 of its own`,
      fact('L2', `chain id ${l2ChainId}, genesis ${l2GenesisHash}`),
      fact('L1', `chain id ${l1ChainId}, genesis ${l1GenesisHash}`),
      '',
      'L1 and its beacon API:',
      ...l1Lines.map((line) => `  ${line}`),
      ...stepLines(steps),
    ],
    warnings: [],
  }
}

function fact(name: string, text: string): string {
  return `  ${name.padEnd(TITLE_WIDTH)}${text}`
}

function stepLines(steps: readonly Step[]): readonly string[] {
  return steps.flatMap((step) => ['', `${step.title}:`, `  ${shellLine(step)}`])
}
