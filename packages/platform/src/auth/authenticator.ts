/** Authenticates tokens by signature and lifetime, and by a query that their user or session still exists. */
import type { Authenticator } from '../http/guards.ts'
import type { Caller } from '../http/route.ts'
import type { Tokens } from './tokens.ts'
import type { UserStore } from './user-store.ts'

export interface TokenAuthenticator extends Authenticator {
  authenticate(token: string): Promise<Caller | null>
}

export function createAuthenticator(tokens: Tokens, users: Pick<UserStore, 'hasUser' | 'hasSession'>): TokenAuthenticator {
  const isThere = (caller: Caller) =>
    caller.tier === 'user' ? users.hasUser(caller.userId) : users.hasSession(caller.sessionId, caller.userId)
  return {
    verify: (token) => tokens.verify(token),
    isThere,
    async authenticate(token) {
      const caller = await tokens.verify(token)
      return caller !== null && (await isThere(caller)) ? caller : null
    },
  }
}
