import { EvmError } from '../errors.ts'
import type { ExecuteBlockOptions, ExecuteBlockResult } from './block-types.ts'
import { openBlock } from './open-block.ts'

export async function executeBlock(options: ExecuteBlockOptions): Promise<ExecuteBlockResult> {
  const block = openBlock(options)
  await block.applySystemCalls()
  for (const [txIndex, tx] of options.transactions.entries()) {
    const done = await block.applyTransaction(tx, options.senders[txIndex] as Uint8Array)
    if (done.kind === 'rejected') return { kind: 'invalid', txIndex, reason: done.reason, message: done.message }
  }
  try {
    return { kind: 'executed', result: await block.finish() }
  } catch (error) {
    if (!(error instanceof EvmError) || error.code !== 'evm/system-contract') throw error
    return { kind: 'invalid', txIndex: null, reason: 'system-contract', message: error.message }
  }
}
