/**
 * Versions of the npm package `solc`, newest first, with the SHA-512 of each tarball as npm's registry states it. Version 0.8.1 is
 * missing: its package contains the compiler 0.8.0. The compiler 0.8.7 is in the package 0.8.7-fixed.
 */

export interface PublishedCompiler {
  /** The version that the compiler writes into a contract's metadata. */
  readonly version: string
  /** Version of the npm package. */
  readonly release: string
  /** Base64. */
  readonly sha512: string
}

const RELEASES: readonly (readonly [release: string, commit: string, sha512: string])[] = [
  ['0.8.36', '8a079791', 'cnDhjWo8dC5FxnEwCrWxUsJS7RPsHf+pVUe9Tr/+b15sQ40WCVn4vX4R+tOvN5gRfEgiquvFzfF4VV0kSnknhw=='],
  ['0.8.35', '47b9dedd', 'OaP/4zyoKRo2CjqZDxbtkeRlEo6MxP4FLCxntw1Agf9OSoecmwYKoFBSB34UcSKBFBucrTh3Mb0nRoJou62ibw=='],
  ['0.8.34', '80d5c536', 'qf8HajA1sHhXRV0hMSDXLjVbc4v3Q+SQbL9zok+1WmgVj7Z4oMjMHxaysCzfGtFVqjZdfDDJWyZI+tcx5bO7Dw=='],
  ['0.8.33', '64118f21', 'qPdHuAeg+DccqYz4Mq4grc7lOdgLA8wB8meCrMHcVXj70noKZhfAMzOCcOD/4RODZnn+sV3V6fWEyUkeVaBPVQ=='],
  ['0.8.32', 'ebbd65e5', '0GMCGXBaBdwHrXC/DVpFm3tdUnm6p6kUnKSjAJ+SQROM9w9F4wyLqrRr/KTYW7ygMIkEPQjB76prTqhkB4GF5Q=='],
  ['0.8.31', 'fd3a2265', 'wpccgDgu/aE/rRcF2F/LeN+4knK0734XTcjppyaQOticjYd/Giq1AJE3XPQZKEViAsY3sNaFKl7QpMRYrK35vg=='],
  ['0.8.30', '73712a01', '9Srk/gndtBmoUbg4CE6ypAzPQlElv8ntbnl6SigUBAzgXKn35v87sj04uZeoZWjtDkdzT0qKFcIo/wl63UMxdw=='],
  ['0.8.29', 'ab55807c', 'M1hmcsejAtT1RWC+wy45Oi8a82nSnDl65wDzA3/8uWTC7R7VcnrMVIHv6/LHqnQPZ7OM2RIeKh3zpNo4E5lYbw=='],
  ['0.8.28', '7893614a', 'AFCiJ+b4RosyyNhnfdVH4ZR1+TxiL91iluPjw0EJslIu4LXGM9NYqi2z5y8TqochC4tcH9QsHfwWhOIC9jPDKA=='],
  ['0.8.27', '40a35a09', 'BNxMol2tUAbkH7HKlXBcBqrGi2aqgv+uMHz26mJyTtlVgWmBA4ktiw0qVKHfkjf2oaHbwtbtaSeE2dhn/gTAKw=='],
  ['0.8.26', '8a97fa7a', 'yiPQNVf5rBFHwN6SIf3TUUvVAFKcQqmSUFeq+fb6pNRCo0ZCgpYOZDi3BVoezCPIAcKrVYd/qXlBLUP9wVrZ9g=='],
  ['0.8.25', 'b61c2a91', '7P0TF8gPeudl1Ko3RGkyY6XVCxe2SdD/qQhtns1vl3yAbK/PDifKDLHGtx1t7mX3LgR7ojV7Fg/Kc6Q9D2T8UQ=='],
  ['0.8.24', 'e11b9ed9', 'G5yUqjTUPc8Np74sCFwfsevhBPlUifUOfhYrgyu6CmYlC6feSw0YS6eZW47XDT23k3JYdKx5nJ+Q7whCEmNcoA=='],
  ['0.8.23', 'f704f362', 'uqe69kFWfJc3cKdxj+Eg9CdW1CP3PLZDPeyJStQVWL8Q9jjjKD0VuRAKBFR8mrWiq5A7gJqERxJFYJsklrVsfA=='],
  ['0.8.22', '4fc1097e', 'bA2tMZXx93R8L5LUH7TlB/f+QhkVyxrrY6LmgJnFFZlRknrhYVlBK1e3uHIdKybwoFabOFSzeaZjPeL/GIpFGQ=='],
  ['0.8.21', 'd9974bed', 'N55ogy2dkTRwiONbj4e6wMZqUNaLZkiRcjGyeafjLYzo/tf/IvhHY5P5wpe+H3Fubh9idu071i8eOGO31s1ylg=='],
  ['0.8.20', 'a1b79de6', 'fPRnGspIEqmhu63RFO3pc79sLA7ZmzO0Uy0L5l6hEt2wAsq0o7UV6pXkAp3Mfv9IBhg7Px/oTu3a+y4gs3BWrQ=='],
  ['0.8.19', '7dd6d404', 'yqurS3wzC4LdEvmMobODXqprV4MYJcVtinuxgrp61ac8K2zz40vXA0eSAskSHPgv8dQo7Nux39i3QBsHx4pqyA=='],
  ['0.8.18', '87f61d96', 'wVAa2Y3BYd64Aby5LsgS3g6YC2NvZ3bJ+A8TAIAukfVuQb3AjyGrLZpyxQk5YLn14G35uZtSnIgHEpab9klOLQ=='],
  ['0.8.17', '8df45f5f', 'Dtidk2XtTTmkB3IKdyeg6wLYopJnBVxdoykN8oP8VY3PQjN16BScYoUJTXFm2OP7P0hXNAqWiJNmmfuELtLf8g=='],
  ['0.8.16', '07a7930e', '6oZg7FAhIouj2zYLvoR3Q4fMP/+BGPR7sY7GcrEXKIp+DRd8RmpDEFO1LUBKpClUiaYguNgmthTFmnPl4MeiMQ=='],
  ['0.8.15', 'e14f2714', 'Riv0GNHNk/SddN/JyEuFKwbcWcEeho15iyupTSHw5Np6WuXA5D8kEHbyzDHi6sqmvLzu2l+8b1YmL8Ytple+8w=='],
  ['0.8.14', '80d49f37', 'DBCeHa2UUkmKyUsVvbdiQ12uSPw/vsbxxaYKKkdFXEqzEStv3kexXcTW5DoXx+BvVzlTbHu+fBuddX7dmIBUCQ=='],
  ['0.8.13', 'abaa5c0e', 'C0yTN+rjEOGO6uVOXI8+EKa75SFMuZpQ2tryex4QxWIg0HRWZvCHKfVPuLZ5wx06Sb6GBp6uQA5yqQyXZnXOJw=='],
  ['0.8.12', 'f00d7308', 'TU3anAhKWBQ/WrerJ9EcHrNwGOA1y5vIk5Flz7dBNamLDkX9VQTIwcKd3FiZsT0Ew8rSU7RTmJyGNHRGzP5TBA=='],
  ['0.8.11', 'd7f03943', 'CdK4pk6VZowmXv7l4lftbr/QUWsHEr+xcdcGHJVgynD08gRwFT4zAFCb3b/eR0FUVVszcHulpGJwEoKRKKrnKw=='],
  ['0.8.10', 'fc410830', 'I/Mcn6J5bEtJqveNLplQm9IRrhemm6v+qkw5S2+wM4x9HItJ1sYdrqVTN3j4DMhFDM3ZbvM0QywVzpPx666PHw=='],
  ['0.8.9', 'e5eed63a', 'dD8tQgGCrdWQPpbDTbQF048S3JAcpytOax2r5qPgQluKJPCRFT6c/fec0ZkbrRwRSeYT/qiKz0OKBDOinnGeWw=='],
  ['0.8.8', 'dddeac2f', 'u5N7fq4kABwyLKDbt9Xq99OiYBP7x56Pl/Oyz4TbNr9xbjgaMW2lhNIAZWtTme7Iuufw+3Tq5Ts3Bia56BOkvQ=='],
  ['0.8.7-fixed', 'e28d00a7', 'nWZRkdPwfBpimAelO30Bz7/hxoj+mylb30gEpBL8hhEWR4xqu2ezQAxWK1Hz5xx1NqesbgGjSgnGul49tRHWgQ=='],
  ['0.8.6', '11564f7e', 'miiDaWdaUnD7A6Cktb/2ug9f+ajcOCDYRr7vgbPEsMoutSlBtp5rca57oMg8iHSuM7jilwdxePujWI/+rbNftQ=='],
  ['0.8.5', 'a4f2e591', 'DKSVwLbQHXvmW9+EBFBn0bLiLsWoIzirvHLGkF1TZfN5E6aHjttAsFRYcMQOJryg4t9AX+AOKkyTlUqEcVBNqA=='],
  ['0.8.4', 'c7e474f2', 'krEdbucX9yY362l79gXTK2UHhsZ02aQjQOYTzcgTd/waApueo3yWGzjX0CDJ1ByOuW46WuKAyzfbRWdFNr6OYQ=='],
  ['0.8.3', '8d00100c', 'VZvSHtwe2zAsoviClIpWjvrg22bIZ0pLtzFrYD9BtPfR7mhMZYwpptnzRizNaSvMngTR+gB9Ul8IyL5xaC7+jw=='],
  ['0.8.2', '661d1103', 'fMfcAPaePLfsOY82jqONt0RMh5M8m+pK6QtnMGMUFUm8uEDlUmoqnyLxGVFelosJaVfXhygAB+mTlb+HxiV7DQ=='],
  ['0.8.0', 'c7dfd78e', 'ypgvqYZhb/i5BM6cw9/5QkSlDJm/rLynsbWGP3kz6HeB6oNxPK6UMiB7jMr+tNVbQbBM/8l47vrI3XaDCHShjQ=='],
]

export const PUBLISHED_COMPILERS: readonly PublishedCompiler[] = RELEASES.map(([release, commit, sha512]) => ({
  version: `${release.replace('-fixed', '')}+commit.${commit}`,
  release,
  sha512,
}))
