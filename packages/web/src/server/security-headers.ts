import type { CaptchaProvider } from '../shared/config-document.ts'

/** Hosts and directives as the providers' documents name them. */
const CAPTCHA_SOURCES: Readonly<Record<CaptchaProvider, Readonly<Record<string, string>>>> = {
  turnstile: {
    'script-src': 'https://challenges.cloudflare.com',
    'frame-src': 'https://challenges.cloudflare.com',
  },
  hcaptcha: {
    'script-src': 'https://hcaptcha.com https://*.hcaptcha.com',
    'frame-src': 'https://hcaptcha.com https://*.hcaptcha.com',
    'style-src': 'https://hcaptcha.com https://*.hcaptcha.com',
    'connect-src': 'https://hcaptcha.com https://*.hcaptcha.com',
  },
}

/** A page may load and ask only its own server, and the captcha if there is one. Wallets in the browser are not affected. */
export function pageHeaders(captcha: CaptchaProvider | null): Readonly<Record<string, string>> {
  const more = captcha === null ? {} : CAPTCHA_SOURCES[captcha]
  const own = (directive: string, sources: string) => `${directive} ${sources}${more[directive] === undefined ? '' : ` ${more[directive]}`}`
  return {
    'content-security-policy': [
      "default-src 'none'",
      own('script-src', "'self'"),
      own('style-src', "'self'"),
      "img-src 'self' data:",
      own('connect-src', "'self'"),
      ...(more['frame-src'] === undefined ? [] : [`frame-src ${more['frame-src']}`]),
      "font-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}

/** For data, which a browser must not show as a page whatever it holds. */
export const DATA_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const
