import { DEPOSIT_ENTRY, decodeParameters, eventTopic, MINIMUM_DEPOSIT_WEI, revertReason } from '@keelson/contracts'
import { bytesToHex } from '@keelson/primitives'
import type { L1Transaction, L2Failure } from './ports.ts'
import type { DepositRecord, Reason } from './record.ts'

const WEI_DECIMALS = 18
const MAX_REASON_LENGTH = 300
const selectorOf = (signature: string) => eventTopic(signature).slice(0, 10)
const BELOW_MINIMUM = selectorOf('BelowMinimum(uint256,uint256)')
const NOT_FROM_A_CONTRACT = selectorOf('NotFromAContract(address)')

export function explainL1Revert(tx: L1Transaction, gasUsed: bigint, output: Uint8Array | null): Reason {
  const selector = output === null ? null : bytesToHex(output.subarray(0, 4))
  const atEntry = tx.to === DEPOSIT_ENTRY
  if ((atEntry && selector === BELOW_MINIMUM) || (atEntry && output === null && tx.valueWei < MINIMUM_DEPOSIT_WEI)) {
    const minimum = selector === BELOW_MINIMUM && output !== null ? readMinimum(output) : MINIMUM_DEPOSIT_WEI
    return {
      code: 'below-minimum',
      text: `${formatEther(tx.valueWei)} is below the minimum of ${formatEther(minimum)}; the transaction reverted on L1 and nothing but its fee was spent`,
    }
  }
  if (atEntry && selector === NOT_FROM_A_CONTRACT) {
    return {
      code: 'not-from-contract',
      text: 'the deposit entry rejects calls from contracts; use depositETHTo of the L1 standard bridge, which names the receiver. The transaction reverted on L1 and nothing but its fee was spent',
    }
  }
  if (gasUsed >= tx.gasLimit) {
    return { code: 'l1-out-of-gas', text: `the transaction ran out of gas on L1 (limit ${tx.gasLimit}); nothing but its fee was spent` }
  }
  const said = output === null ? null : revertReason(output)
  return {
    code: 'l1-reverted',
    text: `the transaction reverted on L1${said === null ? '' : `: ${shown(said)}`}; nothing but its fee was spent`,
  }
}

export function explainL2Failure(
  deposit: Pick<DepositRecord, 'mintWei' | 'messageHash' | 'sender' | 'gasLimit'>,
  gasUsed: string,
  failure: L2Failure | null,
): Reason {
  const kept =
    BigInt(deposit.mintWei) === 0n
      ? ''
      : `; the ${formatEther(BigInt(deposit.mintWei))} deposited stay with ${deposit.messageHash === null ? deposit.sender : 'the messenger'} on L2`
  const outOfGas = failure?.kind === 'out-of-gas' || (failure === null && BigInt(gasUsed) >= BigInt(deposit.gasLimit))
  if (outOfGas) return { code: 'l2-out-of-gas', text: `out of gas on L2 (limit ${deposit.gasLimit})${kept}` }
  if (failure?.kind === 'other') return { code: 'l2-reverted', text: `failed on L2: ${shown(failure.text)}${kept}` }
  const said = failure === null ? null : revertReason(failure.output)
  return { code: 'l2-reverted', text: `reverted on L2${said === null ? ' without a reason' : `: ${shown(said)}`}${kept}` }
}

export function explainBelowMinimum({ mintWei }: Pick<DepositRecord, 'mintWei'>): Reason | null {
  const wei = BigInt(mintWei)
  if (wei === 0n || wei >= MINIMUM_DEPOSIT_WEI) return null
  const limit = formatEther(MINIMUM_DEPOSIT_WEI)
  return {
    code: 'below-minimum',
    text: `${formatEther(wei)} is below the minimum of ${limit}; the contract that received it on L1 does not check the minimum, so L2 includes it nevertheless`,
  }
}

export const NO_DEPOSIT: Reason = {
  code: 'no-deposit',
  text: 'the L1 transaction succeeded but contains no deposit event of the portal of this chain',
}

export const MESSAGE_FAILED: Reason = {
  code: 'message-failed',
  text: 'the deposit arrived, but the call in its message failed on L2; the L2 messenger holds its value and the message can be replayed',
}

export function formatEther(wei: bigint): string {
  const digits = wei.toString().padStart(WEI_DECIMALS + 1, '0')
  const part = digits.slice(-WEI_DECIMALS).replace(/0+$/, '')
  return `${digits.slice(0, -WEI_DECIMALS)}${part === '' ? '' : `.${part}`}`
}

function readMinimum(output: Uint8Array): bigint {
  return output.length < 4 + 64 ? MINIMUM_DEPOSIT_WEI : (decodeParameters('uint256,uint256', output.subarray(4))[1] as bigint)
}

function shown(text: string): string {
  const clean = [...text].map((c) => (c < ' ' || c === '\u007f' ? ' ' : c)).join('')
  return clean.length <= MAX_REASON_LENGTH ? clean : `${clean.slice(0, MAX_REASON_LENGTH)}...`
}
