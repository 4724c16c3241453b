import { useConfig } from '../../data/config.ts'
import type { Deposit, Listed } from '../../data/index-types.ts'
import { l1OriginOf } from '../../data/l1-origin.ts'
import { depositPage } from '../../data/l1-pages.ts'
import type { TransactionJson } from '../../data/transaction-details.ts'
import { isL1Info } from '../../data/transaction-kind.ts'
import { useIndex } from '../../data/use-index.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { Card } from '../../parts/card.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { FullHex } from '../../parts/hashes/full-hex.tsx'
import { L1Address, L1BlockNumber, L1Transaction } from '../../parts/hashes/l1-links.tsx'

/** A deposit was paid for on L1 and has no fee here. */
export function DepositFacts({ transaction }: { readonly transaction: TransactionJson }) {
  const { hash, from, mint, sourceHash, input } = transaction
  const isInfo = isL1Info({ type: Number(transaction.type), from })
  const deposits = useIndex<Listed<Deposit>>(isInfo ? null : `/addresses/${from}/deposits?limit=50`)
  const config = useConfig()
  const deposit = deposits.data?.items.find(({ l2Transaction }) => l2Transaction === hash)
  if (isInfo) {
    const number = l1OriginOf(input)
    return (
      <Card title="L1 information">
        <p className="hint">
          The first transaction of each block tells the contracts of this chain about L1. Nobody sent it, and it has no fee.
        </p>
        <Facts>
          <Fact name="L1 block">{number === null ? 'not known' : <L1BlockNumber number={number} />}</Fact>
        </Facts>
      </Card>
    )
  }
  return (
    <Card title="Deposit from L1">
      <Facts>
        <Fact name="Minted here">
          <NativeAmount wei={mint ?? '0x0'} places={18} />
        </Fact>
        {config.services.index && (
          <Fact name="L1 transaction">
            {deposit === undefined ? (
              <span className="muted">{deposits.data === null ? 'looking' : 'not among the newest deposits of this sender'}</span>
            ) : (
              <>
                <L1Transaction hex={deposit.l1Transaction} full page={depositPage(config, deposit.l1Transaction)} /> in L1 block{' '}
                <L1BlockNumber number={deposit.l1Block} />, sent by <L1Address hex={deposit.initiator} />
              </>
            )}
          </Fact>
        )}
        <Fact name="Source hash" hint="Names the place of the deposit on L1; the hash of this transaction follows from it.">
          {sourceHash === undefined ? 'not known' : <FullHex hex={sourceHash} what="the source hash" />}
        </Fact>
        <Fact name="Fee">none here; its gas was paid on L1</Fact>
      </Facts>
    </Card>
  )
}
