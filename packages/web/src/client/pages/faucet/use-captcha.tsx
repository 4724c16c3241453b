import { type ReactNode, useState } from 'react'
import { useConfig } from '../../data/config.ts'
import { Captcha } from './captcha.tsx'

export interface CaptchaState {
  /** Null if the faucet asks for none. */
  readonly widget: ReactNode
  readonly isSolved: boolean
  readonly token: string | null
  /** Call it after each request, which uses the token up. */
  renew(): void
}

export function useCaptcha(): CaptchaState {
  const { captcha } = useConfig()
  const [token, setToken] = useState<string | null>(null)
  const [uses, setUses] = useState(0)
  return {
    widget: captcha === null ? null : <Captcha key={uses} captcha={captcha} onToken={setToken} />,
    isSolved: captcha === null || token !== null,
    token,
    renew() {
      setToken(null)
      setUses(uses + 1)
    },
  }
}
