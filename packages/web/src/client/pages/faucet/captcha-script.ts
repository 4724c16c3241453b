/** The widget of a captcha provider, whose two interfaces are alike. */
import type { CaptchaProvider } from '../../../shared/config-document.ts'

export interface CaptchaWidgets {
  /** Returns the name of the widget. */
  render(
    place: HTMLElement,
    options: {
      readonly sitekey: string
      readonly callback: (token: string) => void
      readonly 'expired-callback': () => void
      readonly 'error-callback': () => void
    },
  ): string
  remove(widget: string): void
}

const SCRIPTS: Readonly<Record<CaptchaProvider, string>> = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
  hcaptcha: 'https://js.hcaptcha.com/1/api.js',
}
const READY = 'keelsonCaptchaReady'

let loading: Promise<CaptchaWidgets> | null = null

/** Rejects if the script cannot be loaded; the next call tries again. */
export function loadCaptcha(provider: CaptchaProvider): Promise<CaptchaWidgets> {
  loading ??= new Promise((resolve, reject) => {
    const page = globalThis as unknown as Record<string, unknown>
    page[READY] = () => resolve(page[provider] as CaptchaWidgets)
    const script = document.createElement('script')
    script.src = `${SCRIPTS[provider]}?render=explicit&onload=${READY}`
    script.async = true
    script.onerror = () => {
      loading = null
      script.remove()
      reject(new Error('The captcha cannot be loaded. An extension of the browser may block it.'))
    }
    document.head.append(script)
  })
  return loading
}
