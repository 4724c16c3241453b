/** Accepts a token only while its user or session exists. */
import type { Caller } from '../http/route.ts'
import type { Tokens } from './tokens.ts'
import type { UserStore } from './user-store.ts'

export function createAuthenticator(tokens: Tokens, users: UserStore) {
  const isThere = (caller: Caller) =>
    caller.tier === 'user' ? users.hasUser(caller.userId) : users.hasSession(caller.sessionId, caller.userId)
  return {
    verify: (token: string) => tokens.verify(token),
    isThere,
    async authenticate(token: string): Promise<Caller | null> {
      const caller = await tokens.verify(token)
      return caller !== null && (await isThere(caller)) ? caller : null
    },
  }
}
