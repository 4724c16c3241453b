/** Gives blocks and their witnesses to the second opinion. */
import type { RpcClient } from '@keelson/client'
import { judgeBlock, type Verdict } from '@keelson/second-opinion'
import { type BlockEvidence, readBlockEvidence } from '../../packages/node/src/commands/verify/block-evidence.ts'
import { createThreadKzgVerifier } from '../../packages/node/src/crypto/kzg-verifier.ts'
import type { ExecutionWorld } from './execution-world.ts'

export type JudgedInput = Pick<BlockEvidence, 'block' | 'witness'>

export async function secondOpinion(
  world: ExecutionWorld,
  number: number,
  change: (input: JudgedInput) => JudgedInput = (input) => input,
): Promise<Verdict> {
  const rpc: Pick<RpcClient, 'host' | 'call'> = { host: 'world', call: (method, params) => world.call(method, ...params) }
  const { header, parent, block, witness } = await readBlockEvidence(rpc, number)
  return judgeBlock({
    ...change({ block, witness }),
    rules: world.chain.rules.rulesAt(header),
    transition: world.chain.rules.transitionAt(parent, header),
    chainId: world.chainId,
    kzg: createThreadKzgVerifier(),
  })
}
