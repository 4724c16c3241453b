/** Facts of roles on the same layer; the composition root provides them. */
export interface RoleFacts {
  readonly rpcNamespaces: readonly string[]
  readonly validatorFinalExits: Readonly<Record<number, string>>
  conductorSecret(folder: string, candidate: string): string
}
