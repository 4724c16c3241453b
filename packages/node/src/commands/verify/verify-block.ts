import { createHttpRpcClient, type RpcClient } from '@keelson/client'
import { opChainRules } from '@keelson/execution'
import { parseQuantity } from '@keelson/primitives'
import {
  createLogger,
  createSystemClock,
  createSystemRandom,
  type OptionValues,
  option,
  optionalOption,
  optionParsers as parse,
} from '@keelson/runtime'
import { judgeBlock, type Verdict } from '@keelson/second-opinion'
import { defineCommand } from '../../command.ts'
import { createThreadKzgVerifier } from '../../crypto/kzg-verifier.ts'
import { AssemblyError } from '../../errors.ts'
import { openRollupConfig, rollupOptions } from '../../role/rollup-option.ts'
import { readBlockEvidence } from '../../second-opinion/block-evidence.ts'

const EXIT_DISAGREES = 1

const options = {
  ...rollupOptions,
  rpc: option({
    key: 'verify.rpc',
    flag: 'rpc',
    parse: parse.httpUrl,
    default: 'http://127.0.0.1:8545',
    description: 'RPC of an execution client with the debug namespace.',
  }),
  to: optionalOption({
    key: 'verify.to',
    flag: 'to',
    parse: parse.integer(1),
    description: 'Last block of a range; default: block N alone.',
  }),
} as const

export const verifyBlockCommand = defineCommand({
  name: 'verify block',
  summary: 'execute block N from its witness with @ethereumjs/vm, and compare the result with the header',
  usage: 'N --network NETWORK [--rpc URL] [--to N]',
  explanation: `Fetches each block and its execution witness from the node, checks every node of the state trie by its hash, and
executes the block with libraries that share no code with Keelson's own engine, trie and codecs. The exit code is 1 when a
block differs from its header, breaks a rule, or cannot be judged.`,
  options,
  takesArguments: true,
  checkArguments: (positional) => void blockNumber(positional),
  run: (values, { positional }) => verifyBlocks(values, blockNumber(positional)),
})

function blockNumber(positional: readonly string[]): number {
  const [text, stray] = positional
  const number = Number(text)
  if (stray === undefined && /^\d+$/.test(text ?? '') && Number.isSafeInteger(number) && number > 0) return number
  const given = text === undefined ? 'no block number given' : `"${positional.join(' ')}" is not a block number`
  throw new AssemblyError('node/usage', `${given}; expected one number from 1 on: keelson verify block 1234`)
}

async function verifyBlocks(values: OptionValues<typeof options>, first: number): Promise<number> {
  const last = values.to ?? first
  if (last < first) throw new AssemblyError('node/usage', `--to ${last} is before block ${first}`)
  const clock = createSystemClock()
  const log = createLogger({ clock, name: 'verify', level: 'warn', format: 'auto' })
  const config = openRollupConfig(values, log, clock)
  const rules = opChainRules(config.forks, null)
  const rpc = createHttpRpcClient({ url: values.rpc }, { clock, random: createSystemRandom(), log })
  const kzg = createThreadKzgVerifier()
  let disagreements = 0
  let previous: string | null = null
  try {
    await assertChainId(rpc, config.l2ChainId)
    for (let number = first; number <= last; number++) {
      const beganMs = clock.nowMs()
      const { header, parent, hash, ...evidence } = await readBlockEvidence(rpc, number)
      if (previous !== null && header.parentHash !== previous) {
        throw new AssemblyError(
          'node/usage',
          `block ${number} of ${rpc.host} does not build on its block ${number - 1}; try again if it had a reorg`,
        )
      }
      previous = hash
      const transition = rules.transitionAt(parent, header)
      const verdict = await judgeBlock({ ...evidence, rules: rules.rulesAt(header), transition, chainId: config.l2ChainId, kzg })
      if (verdict.kind !== 'agrees') disagreements++
      const seconds = ((clock.nowMs() - beganMs) / 1000).toFixed(1)
      console.log(`block ${number} ${hash} (${seconds} s): ${describeVerdict(verdict)}`)
    }
  } finally {
    rpc.close()
  }
  return disagreements === 0 ? 0 : EXIT_DISAGREES
}

async function assertChainId(rpc: RpcClient, expected: bigint): Promise<void> {
  const found = parseQuantity(await rpc.call('eth_chainId', []), 'eth_chainId')
  if (found === expected) return
  throw new AssemblyError('node/usage', `${rpc.host} is a node of chain ${found}; --network is chain ${expected}`)
}

export function describeVerdict(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'agrees':
      return 'agrees with its header'
    case 'differs':
      return `differs from its header\n${verdict.differences.map(({ field, header, computed }) => `  ${field}: header ${header}, computed ${computed}`).join('\n')}`
    case 'invalid':
      return `invalid: ${verdict.reason}`
    case 'incomplete':
      return `cannot be judged: ${verdict.reason}`
  }
}
