import type { RpcClient } from '@keelson/client'
import { judgeBlock, type KzgVerifier, type Verdict } from '@keelson/second-opinion'
import { type BlockEvidence, readBlockEvidence } from '../../packages/node/src/second-opinion/block-evidence.ts'
import type { ExecutionWorld } from './execution-world.ts'
import { syncKzg } from './sync-kzg.ts'

export type JudgedInput = Pick<BlockEvidence, 'block' | 'witness'>

export async function secondOpinion(
  world: ExecutionWorld,
  number: number,
  change: (input: JudgedInput) => JudgedInput = (input) => input,
  kzg: KzgVerifier = syncKzg,
): Promise<Verdict> {
  const rpc: Pick<RpcClient, 'host' | 'call'> = { host: 'world', call: (method, params) => world.call(method, ...params) }
  const evidence = await readBlockEvidence(rpc, number)
  return judgeEvidence(world, { ...evidence, ...change(evidence) }, kzg)
}

export function judgeEvidence(
  world: ExecutionWorld,
  { header, parent, block, witness }: BlockEvidence,
  kzg: KzgVerifier = syncKzg,
): Promise<Verdict> {
  const { rules } = world.chain
  const transition = rules.transitionAt(parent, header)
  return judgeBlock({ block, witness, rules: rules.rulesAt(header), transition, chainId: world.chainId, kzg })
}
