import { type FormEvent, useState } from 'react'
import { farewellWords, logIn, register } from '../data/platform/account.ts'
import { wordsOf } from '../data/platform/ask.ts'
import './login-card.css'

const MIN_PASSWORD = 8

/** Sign up and log in with the platform's own accounts. */
export function LoginCard({ why }: { readonly why: string }) {
  const [isNew, setIsNew] = useState(false)
  const [isAsking, setIsAsking] = useState(false)
  const [trouble, setTrouble] = useState(farewellWords)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setIsAsking(true)
    setTrouble(null)
    try {
      await (isNew ? register : logIn)(String(form.get('email')).trim(), String(form.get('password')))
    } catch (error) {
      setTrouble(wordsOf(error))
      setIsAsking(false)
    }
  }
  const change = (next: boolean) => () => {
    setIsNew(next)
    setTrouble(null)
  }
  return (
    <section className="card login" aria-label="Account">
      <p>{why}</p>
      <div className="login-choice">
        <button type="button" aria-pressed={!isNew} onClick={change(false)}>
          I have an account
        </button>
        <button type="button" aria-pressed={isNew} onClick={change(true)}>
          I am new here
        </button>
      </div>
      <form onSubmit={(event) => void submit(event)}>
        <label htmlFor="login-email">E-mail address</label>
        <input id="login-email" name="email" className="login-input" type="email" autoComplete="username" maxLength={254} required />
        <label htmlFor="login-password">Password{isNew && `, at least ${MIN_PASSWORD} characters`}</label>
        <input
          id="login-password"
          name="password"
          className="login-input"
          type="password"
          autoComplete={isNew ? 'new-password' : 'current-password'}
          minLength={isNew ? MIN_PASSWORD : 1}
          maxLength={256}
          required
        />
        <button type="submit" className="button" disabled={isAsking}>
          {isNew ? 'Sign up' : 'Log in'}
        </button>
      </form>
      <p role="alert" className={trouble === null ? undefined : 'notice-line'}>
        {trouble}
      </p>
      <p className="muted login-note">
        The account exists on this network's platform only, which sends no mail. The login is kept in this tab until you log out or close
        it.
      </p>
    </section>
  )
}
