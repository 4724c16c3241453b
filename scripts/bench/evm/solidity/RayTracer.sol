// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Renders spheres on a chequered floor with shadows and one reflection, in fixed point with 32 fractional bits.
contract RayTracer {
    int256 private constant ONE = 1 << 32;
    int256 private constant NEAR = ONE >> 10;
    int256 private constant FAR = ONE << 16;

    struct Vector {
        int256 x;
        int256 y;
        int256 z;
    }

    struct Sphere {
        Vector center;
        int256 radius;
        int256 brightness;
        int256 mirror;
    }

    /// Returns the hash of width * height grey values of one byte.
    function render(uint256 width, uint256 height) external pure returns (bytes32) {
        bytes memory image = new bytes(width * height);
        Sphere[] memory spheres = scene();
        for (uint256 row = 0; row < height; row++) {
            for (uint256 column = 0; column < width; column++) {
                image[row * width + column] = bytes1(uint8(pixel(spheres, column, row, width, height)));
            }
        }
        return keccak256(image);
    }

    function scene() private pure returns (Sphere[] memory spheres) {
        spheres = new Sphere[](3);
        spheres[0] = Sphere(Vector(0, 0, 4 * ONE), ONE, 200, ONE / 2);
        spheres[1] = Sphere(Vector(-3 * ONE / 2, ONE / 2, 3 * ONE), ONE / 2, 120, ONE / 8);
        spheres[2] = Sphere(Vector(3 * ONE / 2, -ONE / 4, 7 * ONE / 2), 3 * ONE / 4, 240, ONE / 4);
    }

    function pixel(Sphere[] memory spheres, uint256 column, uint256 row, uint256 width, uint256 height) private pure returns (uint256) {
        int256 x = (2 * int256(column) + 1 - int256(width)) * ONE / int256(width);
        int256 y = (int256(height) - 2 * int256(row) - 1) * ONE / int256(height);
        int256 value = trace(spheres, Vector(0, 0, 0), normalize(Vector(x, y, ONE)), 1);
        return value > 255 ? 255 : uint256(value);
    }

    function trace(Sphere[] memory spheres, Vector memory origin, Vector memory ray, uint256 reflections) private pure returns (int256) {
        (uint256 nearest, int256 distance) = intersect(spheres, origin, ray);
        int256 floorDistance = ray.y < 0 ? divide(-ONE - origin.y, ray.y) : FAR;
        if (floorDistance < distance && floorDistance > NEAR) {
            Vector memory spot = along(origin, ray, floorDistance);
            int256 tile = ((spot.x >> 32) + (spot.z >> 32)) & 1 == 0 ? int256(180) : int256(60);
            return tile * light(spheres, spot, Vector(0, ONE, 0)) >> 32;
        }
        if (distance == FAR) return 40 + (40 * ray.y >> 32);
        Sphere memory sphere = spheres[nearest];
        Vector memory hit = along(origin, ray, distance);
        Vector memory normal = normalize(subtract(hit, sphere.center));
        int256 own = sphere.brightness * light(spheres, hit, normal) >> 32;
        if (reflections == 0) return own;
        Vector memory reflected = subtract(ray, scale(normal, 2 * dot(ray, normal)));
        int256 seen = trace(spheres, hit, reflected, reflections - 1);
        return (own * (ONE - sphere.mirror) + seen * sphere.mirror) >> 32;
    }

    /// The share of the light that reaches a surface, at least a tenth.
    function light(Sphere[] memory spheres, Vector memory spot, Vector memory normal) private pure returns (int256) {
        Vector memory towards = normalize(subtract(Vector(-4 * ONE, 5 * ONE, -ONE), spot));
        int256 facing = dot(normal, towards);
        if (facing <= 0) return ONE / 10;
        (, int256 distance) = intersect(spheres, spot, towards);
        return distance < FAR ? ONE / 10 : ONE / 10 + facing * 9 / 10;
    }

    function intersect(Sphere[] memory spheres, Vector memory origin, Vector memory ray) private pure returns (uint256 nearest, int256 distance) {
        distance = FAR;
        for (uint256 i = 0; i < spheres.length; i++) {
            Vector memory offset = subtract(origin, spheres[i].center);
            int256 half = dot(offset, ray);
            int256 discriminant = multiply(half, half) - dot(offset, offset) + multiply(spheres[i].radius, spheres[i].radius);
            if (discriminant < 0) continue;
            int256 candidate = -half - root(discriminant);
            if (candidate > NEAR && candidate < distance) (nearest, distance) = (i, candidate);
        }
    }

    function multiply(int256 a, int256 b) private pure returns (int256) {
        return a * b >> 32;
    }

    function divide(int256 a, int256 b) private pure returns (int256) {
        return (a << 32) / b;
    }

    function dot(Vector memory a, Vector memory b) private pure returns (int256) {
        return (a.x * b.x + a.y * b.y + a.z * b.z) >> 32;
    }

    function subtract(Vector memory a, Vector memory b) private pure returns (Vector memory) {
        return Vector(a.x - b.x, a.y - b.y, a.z - b.z);
    }

    function scale(Vector memory a, int256 factor) private pure returns (Vector memory) {
        return Vector(multiply(a.x, factor), multiply(a.y, factor), multiply(a.z, factor));
    }

    function along(Vector memory origin, Vector memory ray, int256 distance) private pure returns (Vector memory) {
        return Vector(origin.x + multiply(ray.x, distance), origin.y + multiply(ray.y, distance), origin.z + multiply(ray.z, distance));
    }

    function normalize(Vector memory a) private pure returns (Vector memory) {
        int256 length = root(dot(a, a));
        return Vector(divide(a.x, length), divide(a.y, length), divide(a.z, length));
    }

    /// Newton's method.
    function root(int256 value) private pure returns (int256) {
        if (value <= 0) return 1;
        uint256 shifted = uint256(value) << 32;
        uint256 guess;
        uint256 next = uint256(ONE > value ? ONE : value);
        do {
            guess = next;
            next = (guess + shifted / guess) >> 1;
        } while (next < guess);
        return int256(guess);
    }
}
