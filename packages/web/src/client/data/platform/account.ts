/**
 * The login. Its token is in this tab's sessionStorage: it survives a reload, ends with the tab, is sent only by this program and
 * never by the browser itself, so that no other site can use it. Tokens of conversations are in memory only.
 */
import { useSyncExternalStore } from 'react'
import { nowMs } from '../browser-clock.ts'
import { ask } from './ask.ts'

export interface Account {
  readonly email: string
  readonly token: string
  readonly expiresAtMs: number
}

interface TokenJson {
  readonly access_token: string
  readonly expires_at: string
}

const KEY = 'account'
const AUTH = '/api/v1/auth'
const listeners = new Set<() => void>()
let account: Account | null = load()
/** Why the reader has to log in again. */
let farewell: string | null = null

export function useAccount(): Account | null {
  return useSyncExternalStore(subscribe, () => account)
}

export function farewellWords(): string | null {
  return farewell
}

/** Throws Refusal. */
export async function register(email: string, password: string): Promise<void> {
  const { token } = await ask<{ token: TokenJson }>(`${AUTH}/register`, { method: 'POST', json: { email, password } })
  enter(email, token)
}

/** Throws Refusal. */
export async function logIn(email: string, password: string): Promise<void> {
  enter(email, await ask<TokenJson>(`${AUTH}/login`, { method: 'POST', form: { username: email, password } }))
}

export function logOut(why: string | null = null): void {
  farewell = why
  keep(null)
}

function enter(email: string, { access_token, expires_at }: TokenJson): void {
  farewell = null
  keep({ email, token: access_token, expiresAtMs: Date.parse(expires_at) })
}

function keep(next: Account | null): void {
  account = next
  try {
    if (next === null) sessionStorage.removeItem(KEY)
    else sessionStorage.setItem(KEY, JSON.stringify(next))
  } catch {
    // Storage may be forbidden; the login then lasts as long as the page.
  }
  for (const changed of listeners) changed()
}

function load(): Account | null {
  try {
    const stored = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Account | null
    return stored !== null && stored.expiresAtMs > nowMs() ? stored : null
  } catch {
    return null
  }
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}
