import { parentPort, workerData } from 'node:worker_threads'
import { readRollupConfig } from '@keelson/devnet/network-files'
import { opChainRules } from '@keelson/execution'
import { judgeBlock, type Verdict } from '@keelson/second-opinion'
import { createThreadKzgVerifier } from '../crypto/kzg-verifier.ts'
import { parseEvidence } from './block-evidence.ts'
import type { OpinionRequest, OpinionResponse, OpinionWorkerData } from './opinion-thread.ts'

const port = parentPort
if (port === null) throw new Error('this file is the entry of a worker thread')
const { network, allowSameChainId, forkTimes } = workerData as OpinionWorkerData
const config = readRollupConfig(network, { allowSameChainId, forkTimes })
const rules = opChainRules(config.forks, null)
const kzg = createThreadKzgVerifier()

async function judge({ block, witness }: OpinionRequest): Promise<Verdict> {
  const evidence = parseEvidence(block, JSON.parse(witness))
  if (evidence === null) return { kind: 'incomplete', reason: 'debug_executionWitness returned no witness' }
  const { header, parent } = evidence
  const transition = rules.transitionAt(parent, header)
  return judgeBlock({ ...evidence, rules: rules.rulesAt(header), transition, chainId: config.l2ChainId, kzg })
}

port.on('message', (request: OpinionRequest) => {
  const send = (response: OpinionResponse) => port.postMessage(response)
  judge(request).then(
    (verdict) => send({ verdict }),
    (error: unknown) => send({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  )
})
