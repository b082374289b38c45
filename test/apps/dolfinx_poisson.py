"""Poisson's equation on a square; the solution is 1 + x^2 + 2 y^2. Usage: dolfinx_poisson.py EDGE TIMES"""
import sys

import numpy
import ufl
from dolfinx import fem, mesh
from dolfinx.fem import petsc
from mpi4py import MPI
from petsc4py.PETSc import ScalarType

world = MPI.COMM_WORLD
edge, times = int(sys.argv[1]), int(sys.argv[2])


def solve():
    square = mesh.create_unit_square(world, edge, edge)
    space = fem.FunctionSpace(square, ("Lagrange", 1))
    right = fem.Function(space)
    right.interpolate(lambda x: 1 + x[0] ** 2 + 2 * x[1] ** 2)
    square.topology.create_connectivity(1, 2)
    outside = mesh.exterior_facet_indices(square.topology)
    border = fem.dirichletbc(right, fem.locate_dofs_topological(space, 1, outside))
    u, v = ufl.TrialFunction(space), ufl.TestFunction(space)
    form = ufl.dot(ufl.grad(u), ufl.grad(v)) * ufl.dx
    source = fem.Constant(square, ScalarType(-6)) * v * ufl.dx
    options = {"ksp_type": "cg", "pc_type": "jacobi", "ksp_rtol": 1e-11}
    found = petsc.LinearProblem(form, source, bcs=[border], petsc_options=options).solve()
    size = fem.assemble_scalar(fem.form(found * found * ufl.dx))
    error = fem.assemble_scalar(fem.form((found - right) ** 2 * ufl.dx))
    return (
        square.topology.index_map(2).size_global,
        numpy.sqrt(world.allreduce(size)),
        numpy.sqrt(world.allreduce(error)),
    )


for _ in range(times):
    cells, norm, error = solve()
    if world.rank == 0:
        print("mesh", cells)
        print("norm %.10e" % norm)
        print("error %.3e" % error)
