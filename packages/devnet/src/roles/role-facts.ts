/** Provided by the composition root. */
export interface RoleFacts {
  readonly rpcNamespaces: readonly string[]
  readonly validatorFinalExits: Readonly<Record<number, string>>
  conductorSecret(folder: string, candidate: string): string
}
