import { revertReason } from '@keelson/contracts'
import type { CallResult, Message } from '@keelson/evm'
import { bytesToHex } from '@keelson/primitives'
import { GenesisError } from './genesis-error.ts'

export function describeFailure(message: Message, result: CallResult): GenesisError {
  const target = message.to === null ? 'a creation' : `a call of ${bytesToHex(message.to)} (${bytesToHex(message.data.subarray(0, 4))})`
  const reason = revertReason(result.output) ?? result.error ?? result.status
  return new GenesisError('node/genesis-execution', `${target} by ${bytesToHex(message.from)} failed while building the genesis: ${reason}`)
}
