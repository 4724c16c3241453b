import { type FormEvent, useState } from 'react'
import { useWalletAction } from '../../data/wallet/use-wallet-action.ts'
import type { Wallet } from '../../data/wallet/wallet.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { askChallenge, type Challenge, linkAccount, safeUrl } from './tiers.ts'

interface LinkAccountProps {
  readonly wallet: Wallet
  readonly account: string
  /** Provider of accounts. */
  readonly provider: string
}

const PROVIDERS: Readonly<Record<string, string>> = { github: 'GitHub', local: 'a name of your choice' }
const CODE_LENGTH = 20

/** Sign in at the provider, then prove with a signature that the address is yours. */
export function LinkAccount({ wallet, account, provider }: LinkAccountProps) {
  const action = useWalletAction()
  const [challenge, setChallenge] = useState<Challenge | null>(null)
  const [code, setCode] = useState('')
  const [tier, setTier] = useState<string | null>(null)
  const signInUrl = safeUrl(challenge?.signInUrl ?? null)
  const begin = () => action.run(async () => setChallenge(await askChallenge(account, 'verify')))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (challenge === null) return
    action.run(async () => {
      setTier(await linkAccount(wallet, account, challenge, code.trim()))
      setChallenge(null)
      setCode('')
    })
  }
  if (tier !== null)
    return (
      <p role="status" className="claim-result is-good">
        This address is linked; its tier is <strong>{tier}</strong>.
      </p>
    )
  if (challenge === null || signInUrl === null)
    return (
      <>
        <p className="hint">Sign in with {PROVIDERS[provider] ?? provider}, and sign a message with your wallet. It costs nothing.</p>
        {challenge !== null && <p className="notice-line">The faucet gave no page to sign in.</p>}
        <ActionButton action={action} name="Link an account" onClick={begin} />
      </>
    )
  return (
    <form onSubmit={submit}>
      <ol className="link-steps">
        <li>
          <a href={signInUrl} target="_blank" rel="noopener noreferrer">
            Sign in
          </a>{' '}
          in a new tab. It shows a code.
        </li>
        <li>
          <label htmlFor="faucet-code">Code</label>
          <input
            id="faucet-code"
            className="text-input hex"
            value={code}
            onChange={(event) => setCode(event.target.value)}
            autoComplete="one-time-code"
            spellCheck={false}
            maxLength={CODE_LENGTH}
            required
          />
        </li>
      </ol>
      <ActionButton action={action} name="Sign and link" isPossible={code.trim() !== ''} />
    </form>
  )
}
