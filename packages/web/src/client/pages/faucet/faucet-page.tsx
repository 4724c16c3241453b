import { type FormEvent, useRef, useState } from 'react'
import { useConfig } from '../../data/config.ts'
import { getJson } from '../../data/get-json.ts'
import { useQuery } from '../../data/use-query.ts'
import { useWallet } from '../../data/wallet/use-wallet.ts'
import { addNetwork, walletAddress, walletWords } from '../../data/wallet/wallet.ts'
import { isAddress } from '../../format/hex.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useTitle } from '../../shell/use-title.ts'
import { type ClaimAnswer, claim } from './claim.ts'
import { ClaimResult } from './claim-result.tsx'
import { ClaimStatus } from './claim-status.tsx'
import { TiersCard } from './tiers-card.tsx'
import { useCaptcha } from './use-captcha.tsx'
import '../explorer/explorer.css'
import './faucet.css'

interface FaucetFacts {
  readonly status: string
  readonly account: string
  readonly amount: string
}

const FACTS_MS = 10_000

export function FaucetPage() {
  useTitle('Faucet')
  const config = useConfig()
  const { l2 } = config
  const [address, setAddress] = useState('')
  const [isAsking, setIsAsking] = useState(false)
  const [answer, setAnswer] = useState<ClaimAnswer | null>(null)
  const [walletTrouble, setWalletTrouble] = useState<string | null>(null)
  /** One key for one wish, so that a repeated click is not a second claim. */
  const key = useRef<string | null>(null)
  const { data: facts, error } = useQuery('faucet', () => getJson<FaucetFacts>('/api/faucet/health'), FACTS_MS)
  const captcha = useCaptcha()
  const walletState = useWallet()
  const { wallet } = walletState
  const typed = address.trim()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setIsAsking(true)
    key.current ??= crypto.randomUUID()
    const result = await claim(typed, key.current, captcha.token)
    captcha.renew()
    if (!result.isRepeatable) key.current = null
    setAnswer(result)
    setIsAsking(false)
  }
  const withWallet = (act: () => Promise<void>) => () => {
    setWalletTrouble(null)
    act().catch((error: unknown) => setWalletTrouble(walletWords(error)))
  }
  return (
    <>
      <h1>Faucet</h1>
      <div className="faucet-page">
        <div className="faucet-claim">
          <section className="card form">
            <p className="hint">
              Pays {facts === null ? `a little ${l2.currency} of this network` : <NativeAmount wei={facts.amount} />} to an address, so that
              it can pay for transactions. They have no value elsewhere.
            </p>
            {facts === null && error !== null && <Notice error={error} what="the state of the faucet" />}
            <form onSubmit={(event) => void submit(event)}>
              <label htmlFor="faucet-address">Address</label>
              <input
                id="faucet-address"
                className="text-input hex"
                value={address}
                onChange={(event) => {
                  key.current = null
                  setAddress(event.target.value)
                }}
                placeholder="0x…"
                autoComplete="off"
                spellCheck={false}
                maxLength={64}
                required
              />
              {captcha.widget}
              <div className="form-actions">
                <button type="submit" className="button" disabled={isAsking || typed === '' || !captcha.isSolved}>
                  {isAsking ? 'Asking' : 'Ask for coins'}
                </button>
                {wallet !== null && (
                  <button
                    type="button"
                    className="button is-plain"
                    onClick={withWallet(async () => setAddress(await walletAddress(wallet)))}
                  >
                    Use my wallet's address
                  </button>
                )}
                {wallet !== null && l2.publicRpcUrl !== null && (
                  <WalletNetworkButton onClick={withWallet(() => addNetwork(wallet, config))} />
                )}
              </div>
            </form>
            {walletTrouble !== null && <p className="notice-line">{walletTrouble}</p>}
            <ClaimResult answer={answer} />
          </section>
          {isAddress(typed) && <ClaimStatus address={typed} />}
        </div>
        <TiersCard {...walletState} />
      </div>
    </>
  )
}

function WalletNetworkButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <button type="button" className="button is-plain" onClick={onClick}>
      Add this network to my wallet
    </button>
  )
}
