import { getJson } from '../../data/get-json.ts'
import { rpc } from '../../data/rpc.ts'
import { useNow } from '../../data/use-now.ts'
import { useQuery } from '../../data/use-query.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { Card } from '../../parts/card.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { TransactionLink } from '../../parts/hashes/hash.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Ago } from '../../parts/time.tsx'

interface StatusJson {
  readonly tier: string
  readonly quota: { readonly claims: number; readonly windowSeconds: number; readonly left: number }
  readonly nextClaimTime: string
  readonly lastClaim: { readonly time: string; readonly state: string; readonly amount: string; readonly txHash: string | null } | null
}

const REFRESH_MS = 2_000
const HOUR_SEC = 3_600

/** What the faucet knows of an address. */
export function ClaimStatus({ address }: { readonly address: string }) {
  const status = useQuery(`faucet ${address}`, () => getJson<StatusJson>(`/api/faucet/status?address=${address}`), REFRESH_MS)
  const balance = useQuery(`balance ${address}`, () => rpc<string>('eth_getBalance', [address, 'latest']), REFRESH_MS)
  const now = useNow()
  if (status.data === null)
    return (
      <section className="card">
        <Notice error={status.error} what="what the faucet knows of this address" />
      </section>
    )
  const { tier, quota, nextClaimTime, lastClaim } = status.data
  const next = Date.parse(nextClaimTime)
  return (
    <Card title="This address">
      <Facts>
        <Fact name="Balance">{balance.data === null ? '…' : <NativeAmount wei={balance.data} />}</Fact>
        <Fact name="Claims left">
          {quota.left} of {quota.claims} in {Math.round(quota.windowSeconds / HOUR_SEC)} h, as an address of tier {tier}
        </Fact>
        <Fact name="Next claim">{next <= now ? 'now' : <Ago ms={next} />}</Fact>
        <Fact name="Last claim">
          {lastClaim === null ? (
            'none'
          ) : (
            <>
              <NativeAmount wei={lastClaim.amount} />, {lastClaim.state}, <Ago ms={Date.parse(lastClaim.time)} />
              {lastClaim.txHash !== null && (
                <>
                  {' '}
                  in <TransactionLink hash={lastClaim.txHash} />
                </>
              )}
            </>
          )}
        </Fact>
      </Facts>
    </Card>
  )
}
