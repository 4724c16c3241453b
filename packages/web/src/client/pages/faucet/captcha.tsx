import { useEffect, useRef, useState } from 'react'
import type { CaptchaDocument } from '../../../shared/config-document.ts'
import { loadCaptcha } from './captcha-script.ts'

interface CaptchaProps {
  readonly captcha: CaptchaDocument
  /** Null when the token has expired. */
  onToken(token: string | null): void
}

/** A token is good for one request: give another `key` after it. */
export function Captcha({ captcha: { provider, siteKey }, onToken }: CaptchaProps) {
  const place = useRef<HTMLDivElement>(null)
  const [trouble, setTrouble] = useState<string | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: one widget as long as the part is shown
  useEffect(() => {
    let remove: (() => void) | null = null
    let isShown = true
    loadCaptcha(provider).then(
      (widgets) => {
        if (!isShown || place.current === null) return
        const widget = widgets.render(place.current, {
          sitekey: siteKey,
          callback: onToken,
          'expired-callback': () => onToken(null),
          'error-callback': () => {
            onToken(null)
            setTrouble('The captcha failed. Reload the page to try again.')
          },
        })
        remove = () => widgets.remove(widget)
      },
      (error: Error) => setTrouble(error.message),
    )
    return () => {
      isShown = false
      remove?.()
    }
  }, [])
  return (
    <>
      <div ref={place} className="captcha" />
      {trouble !== null && (
        <p className="notice-line" role="status">
          {trouble}
        </p>
      )}
    </>
  )
}
