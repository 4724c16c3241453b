import { type FormEvent, useState } from 'react'
import { useWalletAction } from '../../data/wallet/use-wallet-action.ts'
import type { Wallet } from '../../data/wallet/wallet.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { applyForDeveloper } from './tiers.ts'
import { useCaptcha } from './use-captcha.tsx'

const MAX_CONTACT = 200
const MAX_PROJECT = 2_000

/** An application that the operator of the faucet decides on. */
export function ApplyForm({ wallet, account }: { readonly wallet: Wallet; readonly account: string }) {
  const action = useWalletAction()
  const captcha = useCaptcha()
  const [contact, setContact] = useState('')
  const [project, setProject] = useState('')
  const [isSent, setIsSent] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    action.run(async () => {
      const application = { contact: contact.trim(), project: project.trim() }
      try {
        await applyForDeveloper(wallet, account, captcha.token === null ? application : { ...application, captcha: captcha.token })
      } finally {
        captcha.renew()
      }
      setIsSent(true)
    })
  }
  if (isSent)
    return (
      <p role="status" className="claim-result is-good">
        The application waits for the operator of this faucet.
      </p>
    )
  return (
    <form onSubmit={submit}>
      <label htmlFor="faucet-contact">How to reach you</label>
      <input
        id="faucet-contact"
        className="text-input"
        value={contact}
        onChange={(event) => setContact(event.target.value)}
        maxLength={MAX_CONTACT}
        autoComplete="email"
        required
      />
      <label htmlFor="faucet-project">What you build</label>
      <input
        id="faucet-project"
        className="text-input"
        value={project}
        onChange={(event) => setProject(event.target.value)}
        maxLength={MAX_PROJECT}
        autoComplete="off"
        required
      />
      {captcha.widget}
      <ActionButton action={action} name="Sign and apply" isPossible={contact.trim() !== '' && project.trim() !== '' && captcha.isSolved} />
    </form>
  )
}
