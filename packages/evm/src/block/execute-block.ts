import { EvmError } from '../errors.ts'
import type { ExecuteBlockOptions, ExecuteBlockResult } from './block-types.ts'
import { openBlock } from './open-block.ts'
import { planPostExec } from './post-exec.ts'

export function executeBlock(options: ExecuteBlockOptions): ExecuteBlockResult {
  const plan = planPostExec(options.transactions, options.header, options.rules)
  if (plan.kind === 'invalid') {
    return { kind: 'invalid', txIndex: plan.index, reason: plan.rejection.reason, message: plan.rejection.message }
  }
  const block = openBlock(options, plan)
  block.applySystemCalls()
  for (const [txIndex, tx] of options.transactions.entries()) {
    const sender = options.senders.at(txIndex) ?? null
    if (sender === null) return { kind: 'invalid', txIndex, reason: 'sender', message: 'the signature is invalid' }
    const done = block.applyTransaction(tx, sender)
    if (done.kind === 'rejected') return { kind: 'invalid', txIndex, reason: done.reason, message: done.message }
  }
  try {
    return { kind: 'executed', result: block.finish() }
  } catch (error) {
    if (!(error instanceof EvmError) || error.code !== 'evm/system-contract') throw error
    return { kind: 'invalid', txIndex: null, reason: 'system-contract', message: error.message }
  }
}
