! SPDX-License-Identifier: GPL-2.0
!
! The calls from Fortran, by the interface that INTERFACE names: 1 mpif.h, 2 the module mpi, 3 the
! module mpi_f08. Prints one line of TAP.
program fortran
#if INTERFACE == 3
	use mpi_f08
#elif INTERFACE == 2
	use mpi
#endif
	implicit none
#if INTERFACE == 1
	include 'mpif.h'
#endif
	integer, parameter :: most = 64
	integer :: rank, ranks, error, i, mine, good, all_good
	integer :: numbers(most), counts(most), displs(most), back(2 * most)

	call MPI_Init(error)
	call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
	call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
	do i = 1, most
		numbers(i) = 10 * i
		counts(i) = 1
		displs(i) = 2 * (i - 1)
	end do
	back = 0
	good = 1
	mine = 0
	call MPI_Scatter(numbers, 1, MPI_INTEGER, mine, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
	if (mine /= 10 * (rank + 1) .or. error /= MPI_SUCCESS) good = 0
	call MPI_Gatherv(mine, 1, MPI_INTEGER, back, counts, displs, MPI_INTEGER, 0, &
		MPI_COMM_WORLD, error)
	if (rank == 0) then
		do i = 1, ranks
			if (back(2 * i - 1) /= 10 * i .or. back(2 * i) /= 0) good = 0
		end do
	end if
	call MPI_Scatterv(back, counts, displs, MPI_INTEGER, mine, 1, MPI_INTEGER, 0, &
		MPI_COMM_WORLD, error)
	if (mine /= 10 * (rank + 1)) good = 0
	numbers = -1
	numbers(1) = 5
	if (rank == 0) then
		call MPI_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, numbers, 1, MPI_INTEGER, 0, &
			MPI_COMM_WORLD, error)
		if (numbers(1) /= 5) good = 0
		do i = 2, ranks
			if (numbers(i) /= 10 * i) good = 0
		end do
	else
		call MPI_Gather(mine, 1, MPI_INTEGER, numbers, 1, MPI_INTEGER, 0, &
			MPI_COMM_WORLD, error)
	end if
	call MPI_Allreduce(good, all_good, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, error)
	if (rank == 0) then
		if (all_good == 1) print '(A)', 'fortran is right'
		if (all_good /= 1) print '(A)', 'fortran is wrong'
	end if
	call MPI_Finalize(error)
end program fortran
