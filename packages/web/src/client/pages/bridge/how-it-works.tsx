import { MINIMUM_DEPOSIT_WEI } from '@keelson/contracts/bridge'
import { useConfig } from '../../data/config.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { Card } from '../../parts/card.tsx'
import { Command } from '../../parts/command/command.tsx'
import type { Direction } from './transfer-form.tsx'

interface HowItWorksProps {
  readonly direction: Direction
  readonly l1ChainId: number
  readonly l2ChainId: number
}

export function HowItWorks({ direction, l1ChainId, l2ChainId }: HowItWorksProps) {
  const { commands } = useConfig()
  return (
    <Card title="How it works" className="how-it-works">
      {direction === 'deposit' ? (
        <p className="hint">
          A deposit is one transaction on L1 (chain id {l1ChainId}) and costs its gas there; on L2 it is free. L2 includes it soon after L1
          does, and nothing more has to be done. The minimum is <NativeAmount wei={MINIMUM_DEPOSIT_WEI} />.
        </p>
      ) : (
        <p className="hint">
          A withdrawal takes three transactions: one on L2 (chain id {l2ChainId}) now, then a proof and the payout on L1, which cost gas
          there and are not automatic. Between them are waits, for an output root and for the time in which it can be challenged. Anyone may
          pay for the last two; the money always goes to the recipient.
        </p>
      )}
      <details className="in-a-terminal">
        <summary>In a terminal</summary>
        <p className="hint">The state of a transfer, and what to do next:</p>
        <Command text={`${commands.status} HASH`} />
        {direction === 'withdraw' && (
          <>
            <Command text={`${commands.prove} HASH --wait`} />
            <Command text={`${commands.finalize} HASH --wait`} />
          </>
        )}
        <p className="hint">Tokens go over the bridge with the options --token and --l2-token of the same commands.</p>
      </details>
    </Card>
  )
}
