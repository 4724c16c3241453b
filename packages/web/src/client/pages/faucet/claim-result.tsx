import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { TransactionLink } from '../../parts/hashes/hash.tsx'
import type { ClaimAnswer } from './claim.ts'

/** Present before the answer, so that screen readers announce it. When the next claim is possible stands with the address's state. */
export function ClaimResult({ answer }: { readonly answer: ClaimAnswer | null }) {
  return (
    <div role="status" className={answer === null ? undefined : `claim-result ${answer.paid ? 'is-good' : 'is-bad'}`}>
      {answer?.paid === true && (
        <>
          <strong>
            <NativeAmount wei={answer.amount} /> on the way
          </strong>{' '}
          in transaction <TransactionLink hash={answer.txHash} ends={8} />
        </>
      )}
      {answer?.paid === false && (
        <>
          <strong>The faucet refused:</strong> {answer.error}
        </>
      )}
    </div>
  )
}
