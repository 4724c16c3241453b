import { useNow } from '../../data/use-now.ts'
import { TransactionLink } from '../../parts/hash.tsx'
import { NativeAmount } from '../../parts/native-amount.tsx'
import { Ago } from '../../parts/time.tsx'
import type { ClaimAnswer } from './claim.ts'

/** Present before the answer, so that screen readers announce it. */
export function ClaimResult({ answer }: { readonly answer: ClaimAnswer | null }) {
  const now = useNow()
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
          {answer.nextClaimTime !== null && Date.parse(answer.nextClaimTime) > now && (
            <span className="claim-next">
              The next claim is possible <Ago ms={Date.parse(answer.nextClaimTime)} />.
            </span>
          )}
        </>
      )}
    </div>
  )
}
